/** Attacks a server from its own process, so that the measured clients are not starved: `attacker-child.ts <port>`. */
import { connect, type Socket } from 'node:net'
import { answerParent } from './child.ts'

const [, , port] = process.argv
const TICK_MS = 10

export interface Attack {
  /** Requests, sent in turn. */
  requests: readonly string[]
  connections: number
  /** Bytes a second of all connections, sent without waiting for answers. Without it, a connection waits for each answer. */
  bytesPerSecond?: number | undefined
}

let isOver = false
let ended: Promise<unknown> = Promise.resolve()
const open = new Set<Socket>()

async function openSocket(): Promise<Socket> {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
  open.add(socket)
  socket.on('error', () => {}).on('close', () => open.delete(socket))
  if (isOver) socket.destroy()
  await new Promise(resolve => socket.once('connect', resolve).once('close', resolve))
  return socket
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
}

/** Sends each request after an answer. Opens a closed connection again. */
async function ask({ requests }: Attack, first: number): Promise<void> {
  let i = first
  while (!isOver) {
    const socket = await openSocket()
    const next = () => socket.write(requests[i++ % requests.length])
    let left = 0
    socket.on('data', (piece: Buffer) => {
      if (left <= 0) left = answerBytes(piece)
      left -= piece.length
      if (left <= 0) next()
    })
    next()
    await closed(socket)
  }
}

/** Returns the bytes of the answer that begins with `piece`. */
function answerBytes(piece: Buffer): number {
  const head = piece.toString('latin1')
  return head.indexOf('\r\n\r\n') + 4 + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
}

/** Sends at a fixed rate, as far as the server reads. Opens a closed connection again. */
async function flood({ requests, connections, bytesPerSecond = 0 }: Attack): Promise<void> {
  const bytesPerTick = (bytesPerSecond * TICK_MS) / 1000 / connections
  const text = requests.join('')
  const piece = Buffer.from(text.repeat(Math.ceil(bytesPerTick / text.length)))
  const sent = Math.max(1, Math.round(bytesPerTick / text.length)) * text.length
  let socket = (await openSocket()).resume()
  const started = performance.now()
  for (let tick = 1; !isOver; tick++) {
    const waitMs = started + tick * TICK_MS - performance.now()
    await new Promise(resolve => setTimeout(resolve, Math.max(0, waitMs)))
    if (socket.destroyed) socket = (await openSocket()).resume()
    if (!socket.writableNeedDrain) socket.write(piece.subarray(0, sent))
  }
}

answerParent({
  start: (attack: Attack) => {
    isOver = false
    const one = attack.bytesPerSecond === undefined ? ask : flood
    ended = Promise.all(Array.from({ length: attack.connections }, (_, i) => one(attack, i)))
  },
  stop: async () => {
    isOver = true
    for (const socket of open) socket.destroy()
    await ended
  },
})
