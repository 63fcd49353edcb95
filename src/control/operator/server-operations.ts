/** Operations that only a running server can carry out, by their names on the operator's socket. */

/** Takes over the index file. */
export const RELOAD = 'index.reload'

/** Says where the server listens: `ServerPorts`. */
export const PORTS = 'server.ports'

export interface ServerPorts {
  /** Of the process; null where it is not known. */
  pid: number | null
  port: number
  controlPort: number
}
