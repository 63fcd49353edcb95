/** An operator who works with the commands. */
import { postrieJson } from '../support/real-server.ts'

export interface OpenedAccount {
  id: string
  keyId: string
  key: string
}

export interface Limits {
  perMinute?: number
  perHour?: number
  perDay?: number
}

export interface Operator {
  /** A new account with the free queries and one key. */
  open(): Promise<OpenedAccount>
  addKey(account: string): Promise<{ id: string; key: string }>
  credit(account: string, usd: string): Promise<void>
  limit(account: string, limits: Limits | null): Promise<void>
  revoke(keyId: string): Promise<void>
}

export class CommandOperator implements Operator {
  readonly #folder: string
  #accounts = 0

  /** @param folder DATA_DIR of the server */
  constructor(folder: string) {
    this.#folder = folder
  }

  async open(): Promise<OpenedAccount> {
    const { id } = await this.#run('account', 'create', `contract-${this.#accounts++}@example.com`)
    const { id: keyId, key } = await this.addKey(id)
    return { id, keyId, key }
  }

  addKey(account: string): Promise<{ id: string; key: string }> {
    return this.#run('key', 'create', account, '--label', 'contract')
  }

  async credit(account: string, usd: string): Promise<void> {
    await this.#run('account', 'credit', account, usd, '--reference', `contract-${this.#accounts++}`)
  }

  async limit(account: string, limits: Limits | null): Promise<void> {
    const flags = { perMinute: '--per-minute', perHour: '--per-hour', perDay: '--per-day' }
    const options = Object.entries(limits ?? {}).flatMap(([name, limit]) => [
      flags[name as keyof Limits],
      String(limit),
    ])
    await this.#run('account', 'limits', account, ...(limits === null ? ['--off'] : options))
  }

  async revoke(keyId: string): Promise<void> {
    await this.#run('key', 'revoke', keyId)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the commands' JSON, of which each caller takes what it needs
  #run(...args: string[]): Promise<any> {
    return postrieJson(this.#folder, args)
  }
}
