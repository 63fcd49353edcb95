import fc from 'fast-check'
import t from 'tap'
import type { AccountError } from '../../../src/billing/accounts/account-error.ts'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../../src/billing/money.ts'
import { AccountsFixture } from './accounts-fixture.ts'

const LONE = ['\ud800', '\udc00', 'a\ud83d', '\ude00b', '\ud83d\ud83d\ude00']

t.test('a malformed text is refused', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId: account, keyId } = fixture
  const credit = { account, micros: 1000, reference: 'r', kind: 'payment' } as const
  for (const text of LONE) {
    const identity = { issuer: 'https://issuer.example', subject: text }
    const cases: [() => Promise<unknown>, AccountError['code']][] = [
      [() => accounts.createAccount({ email: `${text}@example.org` }), 'INVALID_EMAIL'],
      [() => accounts.createAccount({ email: 'b@example.org', identity }), 'INVALID_IDENTITY'],
      [() => accounts.linkIdentity(account, identity), 'INVALID_IDENTITY'],
      [() => accounts.linkIdentity(account, { issuer: text, subject: '1' }), 'INVALID_IDENTITY'],
      [() => accounts.createKey(account, { label: text }), 'INVALID_LABEL'],
      [() => accounts.renameKey(keyId, text), 'INVALID_LABEL'],
      [() => accounts.credit({ ...credit, reference: text }), 'INVALID_REFERENCE'],
      [() => accounts.credit({ ...credit, note: text }), 'INVALID_NOTE'],
      [() => accounts.adjust({ ...credit, kind: 'refund', note: text }), 'INVALID_NOTE'],
      [() => accounts.adjust({ ...credit, kind: 'refund', reference: text }), 'INVALID_REFERENCE'],
    ]
    for (const [command, code] of cases)
      await t.rejects(command(), { name: 'AccountError', code, message: /well-formed/ })
  }
  t.equal(accounts.listAccounts().length, 1)
  await fixture.restart()
  t.equal(fixture.accounts.account(account)?.balanceMicros, NEW_ACCOUNT_CREDIT_MICROS)
})

t.test('every accepted text is the same after a restart', async t => {
  const fixture = await AccountsFixture.create()
  const { accountId: account, keyId } = fixture
  let counter = 0
  const text = fc.string({ unit: 'binary', maxLength: 80 })
  const property = fc.asyncProperty(text, text, text, async (label, reference, note) => {
    const { accounts } = fixture
    const commands = [
      accounts.renameKey(keyId, label),
      accounts.credit({ account, micros: 1, reference: `${counter++} ${reference}`, note, kind: 'test' }),
      accounts.linkIdentity(account, { issuer: `${counter}${reference}`, subject: note }),
    ]
    for (const { status, reason } of (await Promise.allSettled(commands)) as PromiseRejectedResult[]) {
      if (status === 'rejected' && !/^INVALID_/.test(reason.code)) throw reason
    }
    const views = () => [fixture.accounts.listKeys(account), fixture.accounts.statement(account)]
    const before = structuredClone(views())
    await fixture.restart()
    t.same(views(), before)
    if (fixture.accounts.accountByIdentity(`${counter}${reference}`, note) === undefined) {
      const linked = fixture.accounts.linkIdentity(account, {
        issuer: `${counter}${reference}`,
        subject: note,
      })
      await linked.then(
        () => t.fail('a sign-in that was refused before is accepted after a restart'),
        () => {},
      )
    }
  })
  await fc.assert(property, { numRuns: 50, seed: 1 })
})
