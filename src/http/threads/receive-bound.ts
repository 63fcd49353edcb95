/**
 * Bounds what one connection can have answered in one turn of the event loop. uWebSockets.js reads up to 512 KiB of a connection
 * at a time and answers all requests in it. It has no option for less, but the kernel hands out only what it has received.
 */
import { readdirSync } from 'node:fs'
import { RECEIVED_BYTES_MAX } from '../../limits.ts'
import { boundReceived, listensOn } from '../../platform/libc.ts'

const DESCRIPTORS = '/proc/self/fd'

/** Bounds it for the connections that this process accepts on `port` from now on. Does nothing outside Linux. */
export function boundReceiving(port: number): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync(DESCRIPTORS)) {
    const fd = Number(name)
    if (listensOn(fd, port)) boundReceived(fd, RECEIVED_BYTES_MAX)
  }
}
