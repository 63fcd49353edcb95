/** Looks a code up every few milliseconds over one connection, and keeps how long each answer took. In a process of its own. */
import { connect, type Socket } from 'node:net'
import { answerParent } from '../child.ts'

export interface Probe {
  port: number
  body: string
  everyMs: number
}

/** When each lookup was sent, in milliseconds of the clock that all processes share, and how long its answer took. */
export type Waits = { sentMs: number; tookMs: number }[]

let waits: Waits = []
let socket: Socket | undefined
let timer: NodeJS.Timeout | undefined

answerParent({
  start({ port, body, everyMs }: Probe) {
    waits = []
    const bytes = `POST /api/lookup HTTP/1.1\r\nHost: probe\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const opened = connect(port, '127.0.0.1').setNoDelay()
    socket = opened
    let sentMs = 0
    const ask = () => {
      sentMs = performance.now()
      opened.write(bytes)
    }
    // An answer is one packet.
    opened.on('data', data => {
      if (!data.subarray(0, 15).equals(SUCCESS)) throw new Error(`the probe was answered ${data}`)
      waits.push({ sentMs: performance.timeOrigin + sentMs, tookMs: performance.now() - sentMs })
      timer = setTimeout(ask, everyMs)
    })
    opened.once('connect', ask)
  },
  stop() {
    clearTimeout(timer)
    socket?.destroy()
    return waits
  },
})

const SUCCESS = Buffer.from('HTTP/1.1 200 OK')
