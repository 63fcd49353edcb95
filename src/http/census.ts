/** Counts the connections of each address from the kernel's own tables. uWebSockets.js does not say who has gone away. */
import { open } from 'node:fs/promises'
import { hexAddressKey } from './address.ts'

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
/** Read and parsed at a time, in well under a millisecond. */
const SLICE_BYTES = 64 * 1024
/** Local port, remote address and state of a line: `0: 0100007F:1F90 0200007F:C2E4 01 …`. */
const LINE = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]{2})/
/** TCP_ESTABLISHED and TCP_CLOSE_WAIT: states in which the server still has a descriptor. */
const HELD_STATES = new Set(['01', '08'])

/** Connections to `port` by `addressKey`, or null where the kernel has no such tables. */
export async function takeCensus(port: number): Promise<Map<string, number> | null> {
  const counts = new Map<string, number>()
  const found = await Promise.all(TABLES.map(table => countTable(table, port, counts)))
  return found.includes(true) ? counts : null
}

async function countTable(table: string, port: number, counts: Map<string, number>): Promise<boolean> {
  const file = await open(table).catch(() => null)
  if (file === null) return false
  try {
    const slice = Buffer.allocUnsafe(SLICE_BYTES)
    const wanted = port.toString(16).toUpperCase().padStart(4, '0')
    let rest = ''
    for (;;) {
      const { bytesRead } = await file.read(slice, 0, SLICE_BYTES, null)
      if (bytesRead === 0) return true
      const lines = (rest + slice.toString('latin1', 0, bytesRead)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) countLine(line, wanted, counts)
    }
  } finally {
    await file.close()
  }
}

function countLine(line: string, port: string, counts: Map<string, number>): void {
  const fields = LINE.exec(line)
  if (fields === null || fields[1] !== port || !HELD_STATES.has(fields[3])) return
  const key = hexAddressKey(networkOrder(fields[2]))
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** The kernel writes an address as words of 32 bits in the machine's order, which is little-endian wherever this runs. */
function networkOrder(words: string): string {
  return words.replace(/(..)(..)(..)(..)/g, '$4$3$2$1').toLowerCase()
}
