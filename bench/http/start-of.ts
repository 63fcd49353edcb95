/** How each server of the comparison is started. Loaded by name, so that no server's process holds another's packages. */
import type { Start } from './setup.ts'

const STARTS: Readonly<Record<string, () => Promise<Start>>> = {
  postrie: async () => (await import('./servers/postrie.ts')).startPostrie,
  bare: async () => (await import('./servers/bare.ts')).startBare,
  strings: async () => (await import('./servers/strings.ts')).startStrings,
  fastify: async () => (await import('./servers/fastify.ts')).startFastify,
  steps: async () => (await import('./servers/steps.ts')).startSteps,
  express: async () => (await import('./servers/express.ts')).startExpress,
}

export function startOf(name: string): Promise<Start> {
  return STARTS[name]()
}
