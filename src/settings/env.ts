/** Reads typed values from environment variables and remembers every problem, so that all are reported at once. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface EnvProblem {
  name: string
  found: string
  expected: string
}

/** Every wrong setting in one error; the message has one line per setting. */
export class EnvError extends Error {
  readonly problems: readonly EnvProblem[]

  constructor(problems: readonly EnvProblem[]) {
    const lines = problems.map(
      ({ name, found, expected }) => `  ${name}: found ${found}, expected ${expected}`,
    )
    super(`wrong settings in the environment:\n${lines.join('\n')}`)
    this.name = 'EnvError'
    this.problems = problems
  }
}

/** An empty variable counts as unset: `NAME= command` and most service files mean that by it. */
export class EnvReader {
  readonly problems: EnvProblem[] = []
  readonly #env: NodeJS.ProcessEnv

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  /** Free text, `fallback` when unset. */
  text(name: string, fallback: string): string {
    return this.#env[name]?.trim() || fallback
  }

  /** A whole number from `min` to `max`, both allowed. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name, String(fallback))
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    this.problem(name, text, `a whole number from ${min} to ${max}`)
    return fallback
  }

  /** A number from 0 to 1, both allowed. */
  share(name: string, fallback: number): number {
    const text = this.text(name, String(fallback))
    const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
    if (value >= 0 && value <= 1) return value
    this.problem(name, text, 'a number from 0 to 1, such as 0.01')
    return fallback
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    const text = this.text(name, fallback)
    const value = allowed.find(candidate => candidate === text)
    if (value === undefined) this.problem(name, text, `one of ${allowed.join(', ')}`)
    return value ?? fallback
  }

  /** `1`, `true`, `yes` or `0`, `false`, `no`. */
  flag(name: string, fallback: boolean): boolean {
    const text = this.text(name, fallback ? '1' : '0').toLowerCase()
    if (['1', 'true', 'yes'].includes(text)) return true
    if (!['0', 'false', 'no'].includes(text)) this.problem(name, text, '1 or 0')
    return false
  }

  /**
   * An absolute http or https address without a trailing slash, or null when unset. With a name or a password in it, `fetch` would
   * refuse it later, at its first use.
   */
  url(name: string): string | null {
    const text = this.text(name, '')
    if (text === '') return null
    const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null
    if (url !== null && url.username + url.password === '') return text.replace(/\/+$/, '')
    const expected = 'an address that begins with http:// or https://, without a name or password'
    if (text.includes('@')) this.secretProblem(name, expected)
    else this.problem(name, text, expected)
    return null
  }

  /** The address of a PostgreSQL database, or null when unset. It may hold a password, so a wrong one is not repeated. */
  databaseUrl(name: string): string | null {
    const text = this.text(name, '')
    if (text === '') return null
    if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text
    this.secretProblem(name, 'an address such as postgres://user:password@host:5432/database')
    return null
  }

  /** An Ed25519 public key, from the PEM file that the variable names; null when unset. */
  publicKey(name: string): KeyObject | null {
    const path = this.text(name, '')
    if (path === '') return null
    try {
      const key = createPublicKey(readFileSync(path))
      if (key.asymmetricKeyType === 'ed25519') return key
    } catch {
      // Missing, unreadable and malformed files have the same remedy.
    }
    this.problem(
      name,
      path,
      'a PEM file with an Ed25519 public key: openssl pkey -in private.pem -pubout -out public.pem',
    )
    return null
  }

  problem(name: string, found: string, expected: string): void {
    this.problems.push({ name, found: found === '' ? 'nothing' : `'${found}'`, expected })
  }

  /** The same for a value that may hold a password, which must not reach a log. */
  secretProblem(name: string, expected: string): void {
    this.problems.push({ name, found: 'something else, which is not repeated here', expected })
  }

  /** @throws EnvError when anything that was read is wrong. */
  finish(): void {
    if (this.problems.length > 0) throw new EnvError(this.problems)
  }
}
