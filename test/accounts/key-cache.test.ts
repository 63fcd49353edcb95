import t from 'tap'
import { isSecret, newSecret, START_CHARACTERS } from '../../src/accounts/secret.ts'
import { idOf } from '../ledger/expectation.ts'
import { Bench } from './support.ts'

t.test('a secret has its form and checksum, and any change of a character is noticed', async t => {
  const secret = newSecret()
  t.match(secret, /^pk_live_[0-9A-Za-z]{36}$/)
  const bytes = Buffer.from(`"${secret}"`)
  t.ok(isSecret(bytes, 1, bytes.length - 1))
  t.notOk(isSecret(bytes, 0, bytes.length - 2))
  for (let index = 1; index < bytes.length - 1; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = changed[index] === 65 ? 66 : 65
    t.notOk(isSecret(changed, 1, bytes.length - 1))
  }
})

t.test('a key is found at first and second sight, wherever it stands in the buffer', async t => {
  const { accounts, secret, keyId } = await Bench.create()
  const body = Buffer.from(`{"apiKey":"${secret}","zipcode":"90210"}`)
  for (let sight = 0; sight < 3; sight++) {
    t.equal(idOf(accounts, accounts.charging.authenticate(body, 11, 11 + secret.length)), keyId)
    t.equal(accounts.charging.authenticate(body, 10, 10 + secret.length), undefined)
  }
  t.equal(accounts.key(keyId)?.start, secret.slice(0, START_CHARACTERS))
})
