/** The steps of a look-up that the question `steps` cuts it off after. */

/** What is done, in the order of a request; each server of the question does all up to one of these. */
export const STEPS = [
  'framing checked',
  'body read',
  'key found',
  'code and record found',
  'charge made',
  'answer written',
] as const
export type Step = (typeof STEPS)[number]
