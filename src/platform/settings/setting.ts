/** Settings of the environment, and the kinds of their values. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { EXIT } from '../exit.ts'

export interface Setting<T> {
  /** Value of a variable that is not set. */
  readonly fallback: string
  /** Plain text that describes the setting, with its range. */
  readonly meaning: string
  /** Page of docs/ that explains more. */
  readonly page?: string
  /** Sentence on the danger of setting it. */
  readonly risk?: string
  /** Default in documents, if `fallback` depends on the machine. */
  readonly shownFallback?: string
  readonly group: string
  /** Returns the text without secrets, for logs and the console. */
  readonly show: (text: string) => string
  /** @throws WrongSetting, or AggregateError of several */
  readonly read: (text: string) => T
}

/** Its message is what was expected. */
export class WrongSetting extends Error {
  readonly found: string | undefined
  constructor(expected: string, found?: string) {
    super(expected)
    this.found = found
  }
}

/** A kind of value: its reader, and its printer if it may hold a secret. */
type Kind<T> = Pick<Setting<T>, 'read'> & Partial<Pick<Setting<T>, 'show'>>

export function setting<T>(
  { read, show = text => text }: Kind<T>,
  { fallback = '', ...texts }: Texts & { fallback?: string | number },
): Omit<Setting<T>, 'group'> {
  return { fallback: String(fallback), ...texts, show, read }
}

type Texts = Pick<Setting<unknown>, 'meaning' | 'risk' | 'page' | 'shownFallback'>

type Grouped<Rows> = { readonly [Name in keyof Rows]: Rows[Name] & { readonly group: string } }

export function group<Rows extends object>(name: string, rows: Rows): Grouped<Rows> {
  const grouped = Object.entries(rows).map(([key, row]) => [key, { ...row, group: name }])
  return Object.fromEntries(grouped) as Grouped<Rows>
}

export const text: Kind<string> = { read: value => value }

export const secret: Kind<string> = { read: value => value, show: hidden }

export function hidden(value: string): string {
  return value === '' ? '' : 'set, hidden'
}

export function integer(min: number, max: number): Kind<number> {
  return {
    read(value) {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      throw new WrongSetting(`a whole number from ${min} to ${max}`)
    },
  }
}

export const share: Kind<number> = {
  read(value) {
    const number = /^\d(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN
    if (number >= 0 && number <= 1) return number
    throw new WrongSetting('a number from 0 to 1, such as 0.01')
  },
}

export function oneOf<const T extends string>(allowed: readonly T[]): Kind<T> {
  return {
    read(value) {
      const found = allowed.find(candidate => candidate === value)
      if (found !== undefined) return found
      throw new WrongSetting(`one of ${allowed.join(', ')}`)
    },
  }
}

/** `1`, `true`, `yes` or `0`, `false`, `no`. */
export const flag: Kind<boolean> = {
  read(value) {
    const word = value.toLowerCase()
    if (['1', 'true', 'yes'].includes(word)) return true
    if (['0', 'false', 'no'].includes(word)) return false
    throw new WrongSetting('1 or 0')
  },
}

export function list<T>(read: (item: string) => T, itemsMax: number, separator = ','): Kind<T[]> {
  return {
    read(value) {
      const items = value
        .split(separator)
        .map(item => item.trim())
        .filter(item => item !== '')
      if (items.length > itemsMax)
        throw new WrongSetting(`at most ${itemsMax} items`, `${items.length} items`)
      const wrong: unknown[] = []
      const values = items.flatMap(item => {
        try {
          return [read(item)]
        } catch (error) {
          wrong.push(error)
          return []
        }
      })
      if (wrong.length > 0) throw new AggregateError(wrong)
      return values
    },
  }
}

/** An http or https address without a trailing slash; null if unset. `fetch` refuses names and passwords. */
export const url: Kind<string | null> = { read: value => readUrl(value, value.includes('@')) }

/** An http or https address that is never shown with its path: many webhooks have a secret there. */
export const secretUrl: Kind<string | null> = {
  read: value => readUrl(value, true),
  show: value => (value === '' ? '' : `${new URL(value).origin}/…`),
}

function readUrl(value: string, isSecret: boolean): string | null {
  if (value === '') return null
  const found = /^https?:\/\//.test(value) && URL.canParse(value) ? new URL(value) : null
  if (found !== null && found.username + found.password === '') return value.replace(/\/+$/, '')
  const expected = 'an address that begins with http:// or https://, without a name or password'
  throw new WrongSetting(expected, isSecret ? NOT_REPEATED : value)
}

/** The address of a PostgreSQL database; null if unset. It may hold a password. */
export const databaseUrl: Kind<string | null> = {
  show: hidden,
  read(value) {
    if (value === '') return null
    if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value
    throw new WrongSetting('an address such as postgres://user:password@host:5432/database', NOT_REPEATED)
  },
}

/** An Ed25519 public key from a PEM file; null if unset. */
export const publicKey: Kind<KeyObject | null> = {
  read(value) {
    if (value === '') return null
    try {
      const pem = readFileSync(value, 'utf8')
      // A private key would do, and be copied to every server.
      const key = pem.includes('PRIVATE KEY') ? null : createPublicKey(pem)
      if (key?.asymmetricKeyType === 'ed25519') return key
    } catch {
      // Missing, unreadable and malformed files have the same remedy.
    }
    throw new WrongSetting(
      'a PEM file with an Ed25519 public key: openssl pkey -in private.pem -pubout -out public.pem',
    )
  },
}

/** Replaces a wrong value that may hold a password. */
export const NOT_REPEATED = 'a value that is not shown, because it may hold a password'

interface SettingProblem {
  name: string
  found: string
  expected: string
}

/** Thrown with every wrong setting. The message has a line for each. */
export class EnvError extends Error {
  override readonly name = 'EnvError'
  readonly exitCode = EXIT.usage
  readonly problems: readonly SettingProblem[]

  constructor(problems: readonly SettingProblem[]) {
    const lines = problems.map(
      ({ name, found, expected }) => `  ${name}: found ${found}, expected ${expected}`,
    )
    super(`wrong settings in the environment:\n${lines.join('\n')}`)
    this.problems = problems
  }
}

interface SettingInForce {
  readonly value: string
  /** True if it differs from the default. */
  readonly isChanged: boolean
  readonly setting: Setting<unknown>
}

export class SettingReader {
  readonly problems: SettingProblem[] = []
  readonly inForce = new Map<string, SettingInForce>()
  readonly #env: NodeJS.ProcessEnv

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  /** Returns the value of a setting, or its default if it is wrong or empty, as in service files. */
  read<T>(name: string, setting: Setting<T>): T {
    const { fallback, show, read } = setting
    const given = this.#env[name]?.trim() || fallback
    try {
      const value = read(given)
      this.inForce.set(name, { value: show(given), isChanged: given !== fallback, setting })
      return value
    } catch (error) {
      for (const wrong of error instanceof AggregateError ? error.errors : [error]) {
        if (!(wrong instanceof WrongSetting)) throw error
        this.problem(name, wrong.found ?? given, wrong.message)
      }
      return read(fallback)
    }
  }

  problem(name: string, found: string, expected: string): void {
    const shown = found === '' ? 'nothing' : found === NOT_REPEATED ? found : `'${found}'`
    this.problems.push({ name, found: shown, expected })
  }

  /** @throws EnvError if there are problems */
  finish(): void {
    if (this.problems.length > 0) throw new EnvError(this.problems)
  }
}
