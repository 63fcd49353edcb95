/** Operations that only a running server can carry out, by their names on the operator's socket. */

/** Takes over the index file. */
export const RELOAD = 'index.reload'
