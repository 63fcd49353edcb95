import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listenUntilEnd } from './listening.ts'

export type Hook = Awaited<ReturnType<typeof startHook>>

export async function startHook(t: Test) {
  const hook = { url: '', messages: [] as { body: string; signature: string; id: string }[], status: 204 }
  const server = createServer(async (request, response) => {
    const { headers } = request
    const signature = String(headers['postrie-signature'])
    hook.messages.push({ body: await text(request), signature, id: String(headers['postrie-message']) })
    response.writeHead(hook.status, { Location: '/elsewhere' }).end()
  })
  hook.url = `http://127.0.0.1:${await listenUntilEnd(t, server)}/alerts`
  return hook
}
