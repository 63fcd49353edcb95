import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'

const LISTEN_EXCLUSIVELY = 1
const LISTEN_SHARED = 0

/** Overload that the package's types lack. */
type Listen = (
  host: string,
  port: number,
  options: number,
  done: (socket: us_listen_socket | false) => void,
) => void

/** Listens on `host:port`, 0 for a free port. Resolves with false on failure. Threads may share a port: the kernel distributes its connections. */
export function listen(app: TemplatedApp, host: string, port: number, isShared: boolean) {
  const options = isShared ? LISTEN_SHARED : LISTEN_EXCLUSIVELY
  const listenOn = app.listen.bind(app) as unknown as Listen
  return new Promise<us_listen_socket | false>(resolve => listenOn(host, port, options, resolve))
}
