/** Requests that two servers could read differently. */
import { rawPost } from '../support/raw-socket.ts'
import type { Target } from './target.ts'

export interface FramingCase {
  name: string
  /** Packets in Latin-1, in order. */
  packets: string[]
  /** Maximum number of requests that one reading of the packets answers with 200. */
  executedMax: number
  /** True if HAProxy reads the length as 0 and passes on two requests. */
  isTwoToProxies?: boolean
}

const TWO_TO_PROXIES = ['0,0', '18446744073709551616']

/** Returns all cases. The smuggled request stands wherever a reader could take it for a new request. */
export function framingCases({ key, lookup, smuggled }: Target): FramingCase[] {
  const cases: FramingCase[] = []
  const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
  const length = `Content-Length: ${body.length}`
  const hex = body.length.toString(16)
  const te = 'Transfer-Encoding: chunked'
  const hidden = smuggled()
  const add = (
    name: string,
    packets: string | string[],
    executedMax = 1,
    rest: Omit<FramingCase, 'name' | 'packets' | 'executedMax'> = {},
  ) => cases.push({ name, packets: typeof packets === 'string' ? [packets] : packets, executedMax, ...rest })
  /** Writes a request with these header lines. The text after its head hides another request. */
  const post = (headers: string[], text = body) => rawPost('/api/lookup', text, headers)
  const raw = (line: string, headers: string[], text = '') =>
    `${line}\r\n${headers.map(header => `${header}\r\n`).join('')}\r\n${text}`

  // Lengths differ, repeat or are no numbers. A reader of the short one sees the hidden request.
  const both = `${body.length + hidden.length}`
  for (const value of ['0', '1', `${body.length - 1}`, `${body.length + 1}`, both]) {
    add(`Content-Length ${value} after the right one`, post([length, `Content-Length: ${value}`]) + hidden)
    add(`Content-Length ${value} before the right one`, post([`Content-Length: ${value}`, length]) + hidden)
  }
  // A proxy may merge equal lengths (RFC 9110, section 8.6). Then nothing is hidden.
  add('Content-Length twice, equal', post([length, length]))
  add('Content-Length twice, with other capitals', post([length, length.toUpperCase()]))
  for (const value of [
    ...'| |-1|+0|-0|0x0|0x10|1e1|0.0|١|0,0|0;|0 0|0\t1|18446744073709551616|18446744073709551615'.split('|'),
    ...'9223372036854775808|4294967296|99999999999999999999999|0b1|NaN|zero|"0"|\f0'.split('|'),
    ...[`0, ${body.length}`, `${body.length}\v`],
  ])
    add(`Content-Length ${JSON.stringify(value)}`, post([`Content-Length: ${value}`], hidden), 1, {
      isTwoToProxies: TWO_TO_PROXIES.includes(value),
    })

  // Both kinds of framing, CL.TE and TE.CL, and every way to hide one of them.
  add('CL.TE', post([`Content-Length: ${5 + hidden.length}`, te], `0\r\n\r\n${hidden}`))
  add('TE.CL', post([te, 'Content-Length: 4'], `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`))
  for (const coding of [
    ...'Transfer-Encoding : chunked|Transfer-Encoding:\tchunked|Transfer-Encoding: xchunked'.split('|'),
    ...'Transfer-Encoding: chunkedx|Transfer-Encoding: gzip|Transfer-Encoding: identity'.split('|'),
    ...'Transfer-Encoding: gzip, chunked|Transfer-Encoding: chunked, gzip'.split('|'),
    ...'Transfer-Encoding: chunked, chunked|Transfer-Encoding: chunked;q=1'.split('|'),
    ...'Transfer-Encoding: "chunked"|Transfer-Encoding: ,chunked|Transfer-Encoding: chunked,'.split('|'),
    ...'Transfer-Encoding: \vchunked|Transfer-Encoding: chunked\0|Transfer-Encoding:'.split('|'),
    ...'Transfer_Encoding: chunked| Transfer-Encoding: chunked|X: y\r\n Transfer-Encoding: chunked'.split(
      '|',
    ),
    ...'X: y\nTransfer-Encoding: chunked|X: y\rTransfer-Encoding: chunked'.split('|'),
    ...'Transfer-Encoding: chunked\r\n chunked|Transfer-Encoding:\r\n chunked'.split('|'),
    ...'Transfer-Encoding\0: chunked|Transfer-Encoding\xa0: chunked|Transfer-Encoding: \x85chunked'.split(
      '|',
    ),
    ...'Transfer-Encoding: chunke\xe4d|TRANSFER-ENCODING: CHUNKED'.split('|'),
  ]) {
    const name = JSON.stringify(coding)
    // As chunks, the body ends at once and the hidden request follows. By its length, all is body.
    add(`${name} and a length`, post([`Content-Length: ${5 + hidden.length}`, coding], `0\r\n\r\n${hidden}`))
    add(
      `${name} before a length`,
      post([coding, `Content-Length: ${5 + hidden.length}`], `0\r\n\r\n${hidden}`),
    )
  }
  add('chunked twice', post([te, te], `0\r\n\r\n${hidden}`))

  // The grammar of chunks.
  const badSize = (size: string) => post([te], `${size}\r\n${body}\r\n0\r\n\r\n`)
  for (const size of [
    ...'| |g|-1|ffffffffffffffff|fffffffffffffffff|10000000000000000|80000000'.split('|'),
    ...[`+${hex}`, `0x${hex}`, `${hex} `, ` ${hex}`, `${hex};`, `${hex};a=b`, `${hex};a="\r\n"`, `${hex}\t`],
    ...[`${'0'.repeat(40)}${hex}`, `${hex}\0`, `${hex}\xa0`],
  ])
    add(`chunk size ${JSON.stringify(size)}`, badSize(size))
  add('a chunk whose line ends with LF', post([te], `${hex}\n${body}\r\n0\r\n\r\n`))
  add('a chunk without an end of line after it', post([te], `${hex}\r\n${body}0\r\n\r\n`))
  add('a chunk with other bytes after it', post([te], `${hex}\r\n${body}xx0\r\n\r\n`))
  add('a chunk longer than its size', post([te], `1\r\n${body}\r\n0\r\n\r\n`))
  add('a last chunk of many zeros', post([te], `${hex}\r\n${body}\r\n0000\r\n\r\n`))
  add('trailers', post([te], `${hex}\r\n${body}\r\n0\r\nX: y\r\nContent-Length: 9\r\n\r\n`))
  add('a last chunk without its empty line', post([te], `${hex}\r\n${body}\r\n0\r\n`))

  // Line endings.
  const lf = (text: string) => text.replaceAll('\r\n', '\n')
  add('bare LF everywhere', lf(post([length])))
  add('bare LF after the head', post([length]).replace('\r\n\r\n', '\n\n'))
  add('bare CR', post([length]).replaceAll('\r\n', '\r'))
  add('obs-fold', post([`X: a\r\n b`, length]))
  add('obs-fold of the length', post([`Content-Length:\r\n ${body.length}`]))
  add('a header without a colon', post(['X', length]))
  add('a header without a name', post([': x', length]))
  add('a space before the colon of the length', post([`Content-Length : ${body.length}`]) + hidden)
  add('a NUL in a header value', post(['X: a\0b', length]))
  add('a NUL in a header name', post(['X\0: a', length]))
  add('a byte over 0x7f in a header value', post(['X: caf\xe9', length]))
  add('a byte over 0x7f in a header name', post(['X\xe9: a', length]))
  // The binary for Node.js 20 removes the byte. The rest after the body is then a new request.
  add('a byte over 0x7f in the length', post([`Content-Length: ${body.length}\xa0`]))
  add('empty lines before the request', `\r\n\r\n${lookup()}`)
  add('two Hosts', post(['Host: other', length]))
  add('no Host', raw('POST /api/lookup HTTP/1.1', [length], body))
  add('a Host with a space', raw('POST /api/lookup HTTP/1.1', ['Host: a b', length], body))
  add('5,000 bytes of header', post([`X: ${'y'.repeat(5000)}`, length]))
  add('100,000 bytes of header', post([`X: ${'y'.repeat(100_000)}`, length]))
  add('a million bytes of header', post([`X: ${'y'.repeat(1_000_000)}`, length]))
  add('500 headers', post([...new Array(500).fill('X: y'), length]))
  add('a head that never ends', `POST /api/lookup HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(5000)}`)

  // Request lines.
  const withLine = (line: string) => raw(line, ['Host: a', length], body)
  for (const line of [
    ...'POST /api/lookup|POST  /api/lookup HTTP/1.1|POST /api/lookup  HTTP/1.1'.split('|'),
    ...' POST /api/lookup HTTP/1.1|POST\t/api/lookup HTTP/1.1|POST /api/lookup HTTP/1.0'.split('|'),
    ...'POST /api/lookup HTTP/0.9|POST /api/lookup HTTP/2.0|POST /api/lookup HTTP/1.2'.split('|'),
    ...'POST /api/lookup HTTP/1.10|POST /api/lookup http/1.1|POST /api/lookup HTTP/11'.split('|'),
    ...'POST /api/lookup FTP/1.1|post /api/lookup HTTP/1.1|P\0ST /api/lookup HTTP/1.1'.split('|'),
    ...'POST http://other/api/lookup HTTP/1.1|POST //api/lookup HTTP/1.1'.split('|'),
    ...'POST /api/../api/lookup HTTP/1.1|POST /api/%6cookup HTTP/1.1|POST /api/lookup#x HTTP/1.1'.split('|'),
    ...'POST /api/lookup?x=\0 HTTP/1.1|POST * HTTP/1.1|POST \\api\\lookup HTTP/1.1'.split('|'),
    ...'POST /api/look\xfcp HTTP/1.1|CONNECT a:80 HTTP/1.1|OPTIONS * HTTP/1.1'.split('|'),
    ...'TRACE /api/lookup HTTP/1.1|POST /api/lookup HTTP/1.1 HTTP/1.1'.split('|'),
    `POST /${'a'.repeat(20_000)} HTTP/1.1`,
  ])
    add(`line ${JSON.stringify(line.slice(0, 60))}`, withLine(line))
  add('HTTP/0.9', 'GET /api/lookup\r\n', 0)
  add('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 0)
  add('a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 0)
  add('a line split over packets', ['POST /api/loo', lookup().slice('POST /api/loo'.length)])
  add('a header split over packets', [lookup().slice(0, 40), lookup().slice(40)])
  add(
    'an upgrade to HTTP/2',
    post([length, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA']),
  )
  add(
    'an upgrade to WebSocket',
    post([length, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: AA==']),
  )
  add('Expect: 100-continue', post([length, 'Expect: 100-continue']))
  add('Expect: something else', post([length, 'Expect: 200-ok']))
  add('Connection: close', post([length, 'Connection: close']))
  add('Connection names the length', post([length, 'Connection: Content-Length']) + hidden.slice(0, 0))
  const withBody = ['Host: a', `Content-Length: ${hidden.length}`]
  for (const method of ['GET', 'HEAD'])
    add(`${method} with a body that is a request`, raw(`${method} /api/lookup HTTP/1.1`, withBody, hidden))
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  add('GET with a chunked body', raw('GET /api/lookup HTTP/1.1', ['Host: a', te], chunk))

  // Requests that follow valid ones.
  add('garbage after a request', `${lookup()}GARBAGE\r\n\r\n`)
  add('zeros after a request', `${lookup()}\0\0\0\0\r\n\r\n`)
  add('20 requests and one whose line is cut', lookup().repeat(20) + lookup().slice(0, 9), 20)
  add('40 requests and one whose line is cut', lookup().repeat(40) + lookup().slice(0, 9), 40)
  add('a doubtful request after a right one', lookup() + post([length, 'Content-Length: 0']) + hidden)
  return cases
}
