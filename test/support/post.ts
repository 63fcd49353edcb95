import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape, and tests check it
  json: any
}

/** Sees every answer. An error that it throws fails the test. */
export type Observer = (method: string, path: string, answer: Answer) => void

let observe: Observer = () => {}

export function observeAnswers(observer: Observer): void {
  observe = observer
}

/** POSTs `body` as JSON. A string or bytes are sent unchanged. */
export async function post(baseUrl: string, path: string, body: unknown): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return send(baseUrl, path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: isRaw ? (body as string) : JSON.stringify(body),
  })
}

export async function send(baseUrl: string, path: string, init: RequestInit): Promise<Answer> {
  const answer = await answerOf(await fetch(baseUrl + path, init))
  observe(init.method ?? 'GET', path, answer)
  return answer
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

/** Returns the balance as it is spelled. A parsed number loses the spelling. */
export function balanceText({ text }: Answer): string {
  return /"balance":([^,}]+)/.exec(text)?.[1] ?? ''
}

/** Returns a metric without labels; NaN if it is missing. */
export async function readMetric(dashboard: string, name: string): Promise<number> {
  const text = await (await fetch(`${dashboard}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Sends a request with any Host, which `fetch` does not. Follows no redirect. */
export async function sendAs(
  address: string,
  headers: OutgoingHttpHeaders,
  init: RequestOptions = {},
  body = '',
) {
  const [answer] = (await once(request(address, { ...init, headers }).end(body), 'response')) as [
    IncomingMessage,
  ]
  answer.resume()
  return { status: answer.statusCode, headers: answer.headers }
}
