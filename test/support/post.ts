/** Requests as an ordinary client makes them. */

export interface Answer {
  status: number
  headers: Headers
  /** The body as it came. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a response of any shape, which is what the tests are about
  json: any
}

/** POSTs `body` as JSON; a string or bytes go as they are. */
export async function post(baseUrl: string, path: string, body: unknown): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return answerOf(
    await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: isRaw ? (body as string) : JSON.stringify(body),
    }),
  )
}

export async function send(baseUrl: string, path: string, init: RequestInit): Promise<Answer> {
  return answerOf(await fetch(baseUrl + path, init))
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

/** The balance of a response as it is written, since a number has lost its text. */
export function balanceText({ text }: Answer): string {
  return /"balance":([^,}]+)/.exec(text)?.[1] ?? ''
}
