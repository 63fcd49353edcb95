/** A suite of commands that runs twice: on the ledger itself, and through the socket of a running server. */
import type { Test } from 'tap'
import { postrie, postrieJson } from '../support/processes.ts'

/** Runs every account and key command on `dir` and checks its output. */
export async function everyCommand(t: Test, dir: string) {
  const ada = await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  t.same(Object.keys(ada), ['id', 'email', 'balance'])
  t.match(ada, { email: 'ada@example.com', balance: 0.028 })

  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })
  t.match(await postrieJson(dir, credit), { applied: false, balance: 5.028 }, 'a reference is applied once')
  const other = await postrie(dir, ['account', 'credit', ada.id, '6', '--reference', 'r1'])
  t.equal(other.code, 1)
  t.match(other.stderr, /^postrie: /)

  const made = await postrieJson(dir, ['key', 'create', ada.id, '--label', 'test'])
  t.same(Object.keys(made), ['id', 'key'])
  t.match(made.key, /^pk_live_[0-9A-Za-z]{36}$/)
  t.match(await postrieJson(dir, ['key', 'rename', made.id, 'other']), { label: 'other', active: true })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '2.5']), { cap: 2.5 })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '--off']), { cap: null })
  const rules = ['key', 'rules', made.id]
  t.match(await postrieJson(dir, rules), {
    expiresAt: null,
    rateLimits: null,
    endpoints: null,
    addresses: null,
  })
  const wanted = [
    '--expires',
    '2099-01-31',
    '--per-day',
    '9',
    '--endpoints',
    'lookup, city',
    '--addresses',
    '::1,10.1.2.3/8',
  ]
  t.match(await postrieJson(dir, [...rules, ...wanted]), {
    state: 'active',
    expiresAt: '2099-01-31T00:00:00.000Z',
    rateLimits: { perMinute: null, perHour: null, perDay: 9 },
    endpoints: ['lookup', 'city'],
    addresses: ['::1', '10.0.0.0/8'],
  })
  t.match(await postrieJson(dir, [...rules, '--per-day', 'none', '--endpoints', 'none', '--per-hour', '5']), {
    expiresAt: '2099-01-31T00:00:00.000Z',
    rateLimits: { perHour: 5, perDay: null },
    endpoints: null,
    addresses: ['::1', '10.0.0.0/8'],
  })
  t.match(
    (await postrie(dir, rules)).stdout,
    /expires at +2099-01-31 00:00:00\nrate limits +per hour 5\nendpoints +-/,
  )
  t.match(
    (await postrie(dir, [...rules, '--addresses', 'example.com'])).stderr,
    /"example.com" is not an address/,
  )
  t.match((await postrie(dir, [...rules, '--expires', '2020-01-01'])).stderr, /a time in the future/)
  t.match(await postrieJson(dir, [...rules, '--off']), { expiresAt: null, rateLimits: null, addresses: null })
  const rolled = await postrieJson(dir, ['key', 'roll', made.id, '--overlap', '7d'])
  t.same(Object.keys(rolled), ['id', 'key', 'earlier'])
  t.match(rolled, {
    id: made.id,
    key: /^pk_live_[0-9A-Za-z]{36}$/,
    earlier: { start: made.key.slice(0, 12) },
  })
  t.match(await postrieJson(dir, ['key', 'roll', made.id, '--end-overlap']), { earlier: null, active: true })
  t.match(
    (await postrie(dir, ['key', 'roll', made.id, '--overlap', '0'])).stdout,
    /^id .*\nkey +pk_live_\w{36}\nearlier +-\nCopy the key now: .*\n$/,
  )
  t.match(
    (await postrie(dir, ['key', 'roll', made.id, '--overlap', 'soon'])).stderr,
    /such as 0, 30m, 24h or 7d/,
  )
  t.match(await postrieJson(dir, ['key', 'revoke', made.id]), { active: false, state: 'revoked' })
  t.match(await postrieJson(dir, ['key', 'list', ada.id]), [{ id: made.id, active: false, queries: 0 }])

  const limits = ['account', 'limits', ada.id]
  t.match(await postrieJson(dir, limits), { rateLimits: null })
  t.match(await postrieJson(dir, [...limits, '--per-minute', '3', '--per-day', '9']), {
    rateLimits: { perMinute: 3, perHour: null, perDay: 9 },
  })
  t.match(await postrieJson(dir, [...limits, '--per-minute', 'none']), {
    rateLimits: { perMinute: null, perDay: 9 },
  })
  t.match(await postrieJson(dir, [...limits, '--off']), { rateLimits: null })

  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, '2']), { threshold: 2 })
  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, '--off']), { threshold: null })

  t.match(await postrieJson(dir, ['account', 'statement', ada.id]), [
    { amount: 0.028 },
    { amount: 5, balance: 5.028 },
  ])
  const csv = await postrie(dir, ['account', 'statement', ada.id, '--csv'])
  t.match(csv.stdout, /^time,kind,amount_usd,.*\r\n.*,0\.028000,.*\r\n.*,5\.000000,5\.028000,/)

  const members = ['account', 'members']
  t.match(await postrieJson(dir, [...members, 'list', ada.id]), {
    account: ada.id,
    members: [],
    invitations: [],
  })
  const unknown = await postrie(dir, [...members, 'add', ada.id, 'bob@example.com', '--role', 'billing'])
  t.equal(unknown.code, 1)
  t.match(unknown.stderr, /^postrie: nobody has signed in with the proved address 'bob@example\.com'/)
  t.equal((await postrie(dir, [...members, 'remove', ada.id, 'bob@example.com'])).code, 1)

  const standing = (verb: string, account: string) =>
    postrieJson(dir, ['account', verb, account, '--reason', 'asked for by phone'])
  t.match(await standing('suspend', ada.id), {
    state: 'suspended',
    reason: 'asked for by phone',
    balance: 5.028,
  })
  t.match(
    (await postrie(dir, ['account', 'search', 'ADA@', '--state', 'suspended', '--order', 'spent'])).stdout,
    /matches +1\npage +1\n(.*\n)*.*ada@example\.com +suspended/,
  )
  t.match(await standing('resume', ada.id), { state: 'active', reason: null })
  const gone = await postrieJson(dir, ['account', 'create', 'gone@example.com'])
  t.match(await standing('close', gone.id), { state: 'closed', balance: 0, taken: 0.028 })

  t.match(
    (await postrie(dir, ['account', 'list'])).stdout,
    /EMAIL.*\n(.*\n)*.*ada@example\.com +active +\$5\.028/,
  )
}
