import fc from 'fast-check'
import t from 'tap'
import {
  FORWARDED_ELEMENT_CHARACTERS_MAX,
  FORWARDED_HOPS_MAX,
  TrustedProxies,
} from '../src/platform/forwarded.ts'
import { addressText, parseAddress } from '../src/platform/networks.ts'

const NETWORKS = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48']
const PROXY = '10.0.0.1'

function clientOf(value: string | undefined, peer = PROXY, networks = NETWORKS) {
  const client = new TrustedProxies({ networks }).clientOf(parseAddress(peer) as Int32Array, value)
  return client && addressText(client)
}

const LONG = 'x'.repeat(100 * 1024)

t.test('X-Forwarded-For gives the right-most address that is not a trusted proxy', async t => {
  const cases: [value: string | undefined, client: string | null, name?: string][] = [
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9', 'spaces'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9', 'what the client wrote is to the left'],
    ['198.51.100.1,203.0.113.9,10.1.2.3, 127.0.0.1', '203.0.113.9', 'through several proxies'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9', 'nothing but proxies: the first of them'],
    [undefined, PROXY, 'the proxy itself asks'],
    ['', PROXY],
    ['203.0.113.9:4711', '203.0.113.9', 'with a port'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['2001:db8::9', '2001:db8::9'],
    ['::ffff:203.0.113.9', '203.0.113.9', 'IPv4 written as IPv6'],
    ['203.0.113.9, ::ffff:10.0.0.7', '203.0.113.9', 'a proxy written as IPv6'],
    ['203.0.113.9, 2001:db8:1:2::3', '203.0.113.9', 'a proxy of IPv6'],
    ['203.0.113.9, ', '203.0.113.9', 'an empty element'],
    ['203.0.113.9,,,', '203.0.113.9'],
    ['unknown', null],
    ['203.0.113.9, unknown', null, 'nothing is guessed from what is left of it'],
    ['203.0.113.9, _hidden', null],
    ['203.0.113.9, fe80::1%eth0', null, 'a zone'],
    ['203.0.113.9, 10.0.0.256', null],
    ['203.0.113.9, 127.1', null],
    ['203.0.113.9, 0x7f.0.0.1', null],
    ['203.0.113.9, "198.51.100.1', null, 'a quotation is nothing special here'],
    ['203.0.113.9, for=198.51.100.1', null],
    ['203.0.113.9, [2001:db8::9', null],
    ['203.0.113.9, 198.51.100.1:', null],
    ['203.0.113.9 198.51.100.1', null, 'two without a comma'],
    [','.repeat(100 * 1024), null, 'a hundred kilobytes of commas'],
    [`203.0.113.9${','.repeat(FORWARDED_HOPS_MAX + 1)}`, null],
    [LONG, null],
    [`${LONG}, 203.0.113.9`, '203.0.113.9', 'however much is to the left'],
    [`203.0.113.9, ${' '.repeat(FORWARDED_ELEMENT_CHARACTERS_MAX)}10.0.0.2`, null],
    [`203.0.113.9${', 10.0.0.2'.repeat(FORWARDED_HOPS_MAX - 1)}`, '203.0.113.9', 'as many proxies as may be'],
    [`203.0.113.9${', 10.0.0.2'.repeat(FORWARDED_HOPS_MAX)}`, null, 'and one more'],
  ]
  for (const [value, client, name] of cases) t.equal(clientOf(value), client, name ?? String(value))
})

t.test('without a trusted proxy, the header is ignored', async t => {
  t.equal(clientOf('127.0.0.1', '203.0.113.9'), '203.0.113.9', 'the peer is not one')
  t.equal(clientOf('127.0.0.1', PROXY, []), PROXY, 'there is none')
})

t.test('the address that a proxy appends wins over anything a client writes', async () => {
  const value = fc.oneof(fc.string({ maxLength: 300 }), fc.constantFrom('127.0.0.1', ',', '10.0.0.1'))
  const property = fc.property(value, written => {
    const found = clientOf(`${written}, 203.0.113.9`)
    if (found !== '203.0.113.9') throw new Error(`${JSON.stringify(written)} led to ${found}`)
  })
  fc.assert(property, { numRuns: 2000, seed: 1 })
})
