/** The API on its port. A placeholder until the real one is merged. */
import type { StartDataPlane } from '../data-plane.ts'

export const startDataPlane: StartDataPlane = () =>
  Promise.reject(new Error('the data plane is not built yet'))
