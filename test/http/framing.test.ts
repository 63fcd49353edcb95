/** Requests whose end two servers could see in different places are refused, and so is what follows them. */
import t from 'tap'
import { startApp } from '../support/app.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'

const app = await startApp(t)
const body = JSON.stringify({ apiKey: app.key, zipcode: '90210' })
const length = `Content-Length: ${body.length}`
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const smuggled = rawPost('/api/lookup', body)
const request = (headers: string[], text = body) => rawPost('/api/lookup', text, headers)

const REFUSED: Record<string, string> = {
  'two Content-Lengths that differ': request([length, 'Content-Length: 0']),
  'two Content-Lengths that differ, the short one first': request(['Content-Length: 0', length]),
  'two Content-Lengths that agree': request([length, length]),
  'an empty Content-Length': request(['Content-Length:']),
  'a negative Content-Length': request(['Content-Length: -1']),
  'a Content-Length with a sign': request([`Content-Length: +${body.length}`]),
  'a Content-Length list': request([`Content-Length: ${body.length}, ${body.length}`]),
  'a hexadecimal Content-Length': request(['Content-Length: 0x10']),
  'an immense Content-Length': request(['Content-Length: 99999999999999999999']),
  'chunked and a Content-Length': request(['Transfer-Encoding: chunked', length], chunked),
  'a Content-Length and chunked': request([length, 'Transfer-Encoding: chunked'], chunked),
  'chunked twice': request(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked),
  'an unknown transfer coding': request(['Transfer-Encoding: gzip', length]),
  'chunked in a list': request(['Transfer-Encoding: gzip, chunked'], chunked),
  'a coding that only looks like chunked': request(['Transfer-Encoding: xchunked'], chunked),
  'two Hosts': request(['Host: other', length]),
}

for (const [name, text] of Object.entries(REFUSED)) {
  t.test(name, async t => {
    const raw = await RawSocket.open(app.port)
    const before = app.spentMicros()
    raw.send(text + smuggled)
    const received = await raw.closed()
    t.notMatch(received, 'Beverly Hills', 'nothing was answered')
    t.notMatch(received, / 200 /)
    t.equal(app.spentMicros(), before, 'nothing was charged')
  })
}

t.test('GET with a doubtful end is refused too', async t => {
  const raw = await RawSocket.open(app.port)
  raw.send(`GET /api/lookup HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\n${smuggled}`)
  t.notMatch(await raw.closed(), 'warm')
})

t.test('a request that is not HTTP', async t => {
  for (const text of [
    '\0\0\0\0\r\n\r\n',
    'POST\r\n\r\n',
    'POST /api/lookup\r\n\r\n',
    `POST /api/lookup HTTP/9.9\r\n\r\n`,
  ]) {
    const raw = await RawSocket.open(app.port)
    raw.send(text)
    t.notMatch(await raw.closed(), / 200 /, JSON.stringify(text))
  }
})

t.test('sound requests pass', async t => {
  const sound = {
    'one Content-Length': request([length]),
    chunked: request(['Transfer-Encoding: chunked'], chunked),
    'Chunked in capitals': request(['Transfer-Encoding: Chunked'], chunked),
  }
  for (const [name, text] of Object.entries(sound)) {
    const raw = await RawSocket.open(app.port)
    raw.send(text)
    t.match(await raw.answer(), { status: 200, body: /Beverly Hills/ }, name)
    raw.socket.destroy()
  }
})
