import t from 'tap'
import { reportedGlibc, thisMachine, whyUnsupported } from '../../src/platform/supported.ts'

const LINUX = { platform: 'linux', glibc: '2.41' } as const

t.test('systems on which the service was seen to run', async t => {
  for (const [node, glibc] of [
    ['20.18.0', '2.36'],
    ['20.20.2', '2.36'],
    ['22.11.0', '2.38'],
    ['24.1.0', '2.41'],
    ['25.0.0', '2.39'],
  ] as const) {
    t.equal(whyUnsupported({ node, platform: 'linux', glibc }), null, `Node.js ${node} with glibc ${glibc}`)
  }
  t.equal(whyUnsupported(thisMachine()), null, 'this one, which runs the tests')
})

t.test('the C library is asked for its version, as a diagnostic report of Node.js would name it', async t => {
  t.equal(thisMachine().glibc, reportedGlibc())
})

t.test('systems that lack a binary are refused with what was found and what is supported', async t => {
  t.match(whyUnsupported({ ...LINUX, node: '20.15.0' }), /on Node\.js 20\.15\.0\. Supported are Node\.js 24/)
  t.match(whyUnsupported({ ...LINUX, node: '18.20.0' }), /on Node\.js 18/)
  t.match(whyUnsupported({ ...LINUX, node: '23.4.0' }), /on Node\.js 23/)
  t.match(whyUnsupported({ ...LINUX, node: '26.0.0' }), /on Node\.js 26/)
  t.match(
    whyUnsupported({ node: '24.1.0', platform: 'linux', glibc: '2.36' }),
    /Node\.js 24\.1\.0 needs glibc 2\.38 .* this system has 2\.36/,
  )
  t.match(whyUnsupported({ node: '24.1.0', platform: 'linux', glibc: undefined }), /without glibc/)
  t.match(whyUnsupported({ node: '24.1.0', platform: 'win32', glibc: undefined }), /on win32/)
})
