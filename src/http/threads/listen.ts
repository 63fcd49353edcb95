/** Makes an app of uWebSockets.js listen. */
import uws, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js'

const LISTEN_EXCLUSIVELY = 1
const LISTEN_SHARED = 0

/** The overload that the package's type file lacks. */
type Listen = (
  host: string,
  port: number,
  options: number,
  done: (socket: us_listen_socket | false) => void,
) => void

/**
 * Listens on `host:port`; port 0 is any free one.
 * @param isShared whether other threads may listen on the same port; the kernel then distributes the connections
 * @returns null when that cannot be done
 */
export async function listen(
  app: TemplatedApp,
  host: string,
  port: number,
  isShared: boolean,
): Promise<us_listen_socket | null> {
  const options = isShared ? LISTEN_SHARED : LISTEN_EXCLUSIVELY
  const socket = await new Promise<us_listen_socket | false>(resolve => {
    const listenOn = app.listen.bind(app) as unknown as Listen
    listenOn(host, port, options, resolve)
  })
  return socket || null
}

export function portOf(socket: us_listen_socket): number {
  return uws.us_socket_local_port(socket)
}

export function stopListening(socket: us_listen_socket): void {
  uws.us_listen_socket_close(socket)
}
