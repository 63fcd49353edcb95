/** The steps of a lookup, after each of which the question `steps` ends it. */

/** In the order of a request. Each server of the question does all steps up to one of these. */
export const STEPS = [
  'framing checked',
  'body read',
  'key found',
  'code and record found',
  'charge made',
  'answer written',
] as const
export type Step = (typeof STEPS)[number]
