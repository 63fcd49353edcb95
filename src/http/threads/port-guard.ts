/**
 * Keeps two servers off one port. The threads of a server share their port, and the kernel would let a second server of the same
 * user share it as well, and give it half of the connections. So nobody else may listen on it when they begin to.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { LISTEN_WAIT_MS } from '../../limits.ts'
import { nameHolder } from './name-holder.ts'

const RETRY_MS = 20

/**
 * Runs `listen` while nobody else listens on `port` of `host`, and no other postrie of this user begins to.
 * @param waitMs how long another one may take to begin
 * @throws Error when the port is taken, and what `listen` throws
 */
export async function whilePortIsFree<T>(
  host: string,
  port: number,
  listen: () => Promise<T>,
  waitMs = LISTEN_WAIT_MS,
): Promise<T> {
  const guard = await takeGuard(host, port, waitMs)
  try {
    const probe = await listenOn({ host, port, exclusive: true })
    if (probe === null) throw portTaken(host, port)
    await closed(probe)
    return await listen()
  } finally {
    await closed(guard)
  }
}

/** A port of `host` that nobody listens on at this moment. @throws Error when `host` is not an address of this machine */
export async function freePort(host: string): Promise<number> {
  const probe = await listenOn({ host, port: 0, exclusive: true })
  const address = probe?.address()
  if (probe === null || address === null || typeof address !== 'object') throw portTaken(host, 0)
  await closed(probe)
  return address.port
}

/** Its `code` is `CANNOT_LISTEN`: uWebSockets.js does not say why, and whoever reports it asks the system. */
export function portTaken(host: string, port: number): Error {
  const message = `cannot listen on ${host}:${port}: it is taken or not an address of this machine; set HOST or PORT`
  return Object.assign(new Error(message), { code: 'CANNOT_LISTEN' })
}

/** The name of the port. The kernel shares ports between programs of one user alone, so each user has names of their own. */
export function guardName(port: number): string {
  return `postrie/begins-to-listen/${process.geteuid?.() ?? 0}/${port}`
}

/**
 * Takes the name of the port in Linux' abstract namespace of sockets. Names live as long as their process, and in the same
 * network namespace as ports do: a file could be left behind, or be in a folder that the other process does not see.
 */
async function takeGuard(host: string, port: number, waitMs: number): Promise<Server> {
  const name = guardName(port)
  const endMs = performance.now() + waitMs
  for (;;) {
    const guard = await listenOn({ path: `\0${name}` })
    if (guard !== null) return guard
    if (performance.now() > endMs)
      throw new Error(
        `cannot listen on ${host}:${port}: the socket @${name}, which a postrie holds while it begins to listen, has been held ` +
          `for ${waitMs / 1000} seconds by ${nameHolder(name)}. End that process, or set PORT`,
      )
    await setTimeout(RETRY_MS)
  }
}

/** A server that listens there and closes every connection, or null when that cannot be done. */
async function listenOn(where: { path: string } | { host: string; port: number; exclusive: true }) {
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen(where), 'listening')
    return server
  } catch {
    return null
  }
}

async function closed(server: Server): Promise<void> {
  await new Promise(resolve => server.close(resolve))
}
