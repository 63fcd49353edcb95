import type { CommandName } from '../../src/console/operator/commands.ts'
import { askServer } from '../../src/console/operator/operator-client.ts'
import { readConfig } from '../../src/platform/settings/config.ts'

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

/** Commands over the socket of the running server. A process for each command would take half a second. */
export class Operator {
  readonly #socketFile: string
  #names = 0

  /** @param folder DATA_DIR of the server */
  constructor(folder: string) {
    this.#socketFile = readConfig({ DATA_DIR: folder }).socketFile
  }

  async open(): Promise<OpenedAccount> {
    const { id } = await this.#ask('account.create', { email: `contract-${this.#names++}@example.com` })
    const { id: keyId, key } = await this.addKey(id)
    return { id, keyId, key }
  }

  async addKey(account: string): Promise<{ id: string; key: string }> {
    const { id, key } = await this.#ask('key.create', { account, label: 'contract' })
    return { id, key }
  }

  async credit(account: string, usd: string): Promise<void> {
    await this.#ask('account.credit', { account, usd, reference: `contract-${this.#names++}` })
  }

  async limit(account: string, limits: Limits | null): Promise<void> {
    await this.#ask('account.limits', {
      account,
      ...(limits ?? { perMinute: null, perHour: null, perDay: null }),
    })
  }

  async revoke(keyId: string): Promise<void> {
    await this.#ask('key.revoke', { key: keyId })
  }

  /** @param usd monthly cap of the key */
  async cap(keyId: string, usd: string): Promise<void> {
    await this.#ask('key.cap', { key: keyId, usd })
  }

  async #ask(name: CommandName, params: object): Promise<Record<string, string>> {
    const answer = await askServer(this.#socketFile, name, params)
    if (!answer.reached) throw new Error(`no server listens on ${this.#socketFile}`)
    return answer.result as Record<string, string>
  }
}
