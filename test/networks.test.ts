import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { resolve } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import {
  FORWARDED_ELEMENT_CHARACTERS_MAX,
  FORWARDED_HOPS_MAX,
  TrustedProxies,
} from '../src/platform/forwarded.ts'
import {
  addressText,
  addressWords,
  isInNetworks,
  NETWORK_WORDS,
  networkText,
  parseAddress,
  parseNetwork,
} from '../src/platform/networks.ts'
import { readConfig } from '../src/platform/settings/config.ts'

const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const))
const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const))

/** Half of the addresses are in a network. */
function nearbyAddress([address, , family]: [string, number, 'ipv4' | 'ipv6'], flipped: number): string {
  const words = parseAddress(address) ?? new Int32Array(4)
  const bits = family === 'ipv4' ? 96 + (flipped % 32) : flipped % 128
  words[bits >> 5] ^= 1 << (31 - (bits & 31))
  return addressText(words)
}

t.test('a network contains the same addresses as in Node.js', async () => {
  const property = fc.property(fc.oneof(v4, v6), fc.nat({ max: 127 }), (network, flipped) => {
    const [address, length, family] = network
    const words = parseNetwork(`${address}/${length}`)
    const list = new BlockList()
    list.addSubnet(address, length, family)
    for (const other of [address, nearbyAddress(network, flipped), '203.0.113.9', '::1']) {
      const found = parseAddress(other)
      if (words === null || found === null) throw new Error(`${address} or ${other} is not parsed`)
      // Node.js accepts an IPv4 network as an IPv6 network in only one direction.
      if (other.includes(':') !== address.includes(':') || /^(::|0:0:0:0:0:)f{4}/i.test(address)) continue
      const family = other.includes(':') ? 'ipv6' : 'ipv4'
      assert.equal(isInNetworks(found, words), list.check(other, family), `${other} in ${address}/${length}`)
    }
  })
  fc.assert(property, { numRuns: 2000, seed: 1 })
})

t.test('a written network is read as the same network without host bits', async t => {
  const property = fc.property(fc.oneof(v4, v6), ([address, length]) => {
    const words = parseNetwork(`${address}/${length}`)
    if (words === null) throw new Error(address)
    assert.deepEqual(parseNetwork(networkText(words)), words)
  })
  fc.assert(property, { numRuns: 1000, seed: 2 })
  const written = {
    '203.0.113.77/24': '203.0.113.0/24',
    '203.0.113.77': '203.0.113.77',
    '203.0.113.77/32': '203.0.113.77',
    '0.0.0.0/0': '0.0.0.0/0',
    '::/0': '::/0',
    '::ffff:203.0.113.9': '203.0.113.9',
    '::ffff:203.0.113.9/120': '203.0.113.0/24',
    '2001:DB8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '2001:db8:ffff::/32': '2001:db8::/32',
    '1:0:2:0:3:0:4:0': '1:0:2:0:3:0:4:0',
    '::1': '::1',
    '1::': '1::',
  }
  for (const [text, expected] of Object.entries(written)) {
    const network = parseNetwork(text)
    t.equal(network && networkText(network), expected, text)
  }
})

t.test('a text that is not a network is refused', async t => {
  const wrong = 'a 1.2.3 1.2.3.4/33 1.2.3.4/-1 1.2.3.4/08 1.2.3.4/8/8 1.2.3.4/ 01.2.3.4'.split(' ')
  const longer = '::1/129 fe80::1%eth0 ::: 256.1.1.1 ::ffff:1.2.3.4/x'.split(' ')
  for (const text of ['', '1.2.3.4 ', `${'0:'.repeat(30)}0/1`, ...wrong, ...longer])
    t.equal(parseNetwork(text), null, JSON.stringify(text))
})

t.test('an IPv4 address equals its IPv6 form, and other lengths are refused', async t => {
  const four = addressWords(Uint8Array.of(203, 0, 113, 9))
  const mapped = addressWords(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 203, 0, 113, 9))
  t.same(four, mapped)
  t.equal(four && addressText(four), '203.0.113.9')
  t.equal(addressWords(new Uint8Array(0)), null)
  t.equal(addressWords(new Uint8Array(5)), null)
  const lists = [parseNetwork('10.0.0.0/8'), parseNetwork('203.0.113.0/24')]
  const networks = Int32Array.from(lists.flatMap(words => [...(words ?? [])]))
  t.ok(four && isInNetworks(four, networks))
  t.notOk(four && isInNetworks(four, networks.subarray(0, NETWORK_WORDS)))
  t.ok(four && isInNetworks(four, networks.subarray(NETWORK_WORDS)))
})

const NETWORKS = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48']
const PROXY = '10.0.0.1'

function clientOf(value: string | undefined, peer = PROXY, networks = NETWORKS) {
  const client = new TrustedProxies(networks).clientOf(parseAddress(peer) as Int32Array, value)
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

t.test('the address that a proxy appends wins over anything a client writes', async () => {
  const value = fc.oneof(fc.string({ maxLength: 300 }), fc.constantFrom('127.0.0.1', ',', '10.0.0.1'))
  const property = fc.property(value, written => {
    const found = clientOf(`${written}, 203.0.113.9`)
    if (found !== '203.0.113.9') throw new Error(`${JSON.stringify(written)} led to ${found}`)
  })
  fc.assert(property, { numRuns: 2000, seed: 1 })
})

t.test('settings have defaults', async t => {
  const config = readConfig({})
  t.match(config, { host: '127.0.0.1', port: 8080, controlPort: 8081, logLevel: 'info', publicUrl: null })
  t.equal(config.dataDir, resolve('data'))
  t.equal(config.indexFile, resolve('data/index.postrie'))
  t.equal(config.socketFile, resolve('data/control.sock'))
})

t.test('1 to 64 server threads are allowed, but one outside Linux', async t => {
  const { httpThreads } = readConfig({})
  t.ok(httpThreads >= 1 && httpThreads <= (process.platform === 'linux' ? 64 : 1), `${httpThreads} threads`)
  t.throws(
    () => readConfig({ HTTP_THREADS: '0' }),
    /HTTP_THREADS: found '0', expected a whole number from 1 to/,
  )
  t.throws(() => readConfig({ HTTP_THREADS: '65' }), /HTTP_THREADS/)
})

t.test('two planes cannot share a port', async t => {
  t.throws(() => readConfig({ PORT: '9000', CONTROL_PORT: '9000' }), { message: 'CONTROL_PORT: found ' })
})
