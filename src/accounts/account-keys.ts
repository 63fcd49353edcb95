import type { KeyRecord } from '../ledger/book/record.ts'
import type { UsageAhead } from './account-store.ts'
import { Charging, type ChargingParts } from './charging/charging.ts'
import type { CommandContext } from './commands/command-context.ts'
import { createKey, renameKey, revokeKey, setKeyCap } from './commands/key-commands.ts'
import { checkKeyRules, endKeyOverlap, rollKey, setKeyRules } from './commands/key-rules.ts'
import { keyView } from './reports/account-view.ts'
import type { ApiKey } from './types.ts'
import { type KeyRulesView, type KeyView, type NewKey, NO_RULES } from './views.ts'

/** What `Accounts` does with keys. */
export class AccountKeys extends Charging {
  readonly #context: CommandContext
  readonly #usage: UsageAhead

  protected constructor(parts: ChargingParts, context: CommandContext, usage: UsageAhead) {
    super(parts)
    this.#context = context
    this.#usage = usage
  }

  /**
   * Nobody learns the secret before the rules of the key hold.
   * @throws TOO_MANY_KEYS, INVALID_…, ACCOUNT_SUSPENDED, ACCOUNT_CLOSED
   */
  async createKey(
    account: string,
    { label = '', rules = NO_RULES }: { label?: string; rules?: KeyRulesView } = {},
  ): Promise<NewKey> {
    const checked = checkKeyRules(rules, this.timeline.nowMs())
    const { key, secret } = await this.#context.run(context => createKey(context, account, label))
    if (Object.values(checked).some(rule => rule !== null)) await this.#restrict(key.id, rules)
    return { ...this.#view(key), key: secret }
  }

  /** Gives a new key its rules. One that cannot have them is revoked, since it would be good for everything. */
  async #restrict(keyId: string, rules: KeyRulesView): Promise<void> {
    try {
      await this.setKeyRules(keyId, rules)
    } catch (error) {
      await this.revokeKey(keyId)
      throw error
    }
  }

  /** Oldest first, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  listKeys(account: string): KeyView[] {
    return this.#context.registry.keysOf(this.#context.account(account)).map(key => this.#view(key))
  }

  key(keyId: string): KeyView | undefined {
    const key = this.#context.registry.key(keyId)
    return key && this.#view(key)
  }

  /** The key that `authenticate` has returned. */
  viewOf({ slot }: Pick<ApiKey, 'slot'>): KeyView {
    return this.#view(this.#context.ledger.book.key(slot))
  }

  async renameKey(keyId: string, label: string): Promise<KeyView> {
    return this.#view(await this.#context.run(context => renameKey(context, keyId, label)))
  }

  /** Effective on the next request, acknowledged after the sync. Revoking twice changes nothing. */
  async revokeKey(keyId: string): Promise<KeyView> {
    return this.#view(await this.#context.run(context => revokeKey(context, keyId)))
  }

  /** Spend of this key per UTC month; beyond it `charge` returns false. Null: no cap. */
  async setKeyCap(keyId: string, monthlyMicros: number | null): Promise<KeyView> {
    return this.#view(await this.#context.run(context => setKeyCap(context, keyId, monthlyMicros)))
  }

  /** Replaces all that the key may be used for, from the next request on. @throws KEY_REVOKED, INVALID_… */
  async setKeyRules(keyId: string, rules: KeyRulesView): Promise<KeyView> {
    return this.#view(await this.#context.run(context => setKeyRules(context, keyId, rules)))
  }

  /** A new secret for a key. The present one works for `overlapMs` more, up to KEY_OVERLAP_MS_MAX. @throws KEY_REVOKED, INVALID_OVERLAP */
  async rollKey(keyId: string, overlapMs: number): Promise<NewKey> {
    const { key, secret } = await this.#context.run(context => rollKey(context, keyId, overlapMs))
    return { ...this.#view(key), key: secret }
  }

  /** Refuses the secret before the present one at once. @throws KEY_REVOKED */
  async endKeyOverlap(keyId: string): Promise<KeyView> {
    return this.#view(await this.#context.run(context => endKeyOverlap(context, keyId)))
  }

  #view(key: KeyRecord): KeyView {
    return keyView(key, this.#context.registry, this.#usage, this.timeline.nowMs())
  }
}
