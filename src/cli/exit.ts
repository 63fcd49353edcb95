/** Exit codes of every command; `postrie --help` lists them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, torn: 3, damaged: 4, busy: 5, unavailable: 6 } as const
