import { once } from 'node:events'
import { Server as WebServer } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { Test } from 'tap'

/** Lets `server` listen on a free port until the test ends. Returns its port. */
export async function listenUntilEnd(t: Test, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    if (server instanceof WebServer || server instanceof SecureServer) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
