import type { HttpResponse, TemplatedApp } from 'uWebSockets.js'

export function listen(app: TemplatedApp, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', port, socket => {
      if (socket) resolve()
      else reject(new Error(`cannot listen on port ${port}`))
    })
  })
}

/** Calls `done` with a body's text once it is complete. */
export function readText(res: HttpResponse, done: (text: string) => void): void {
  const parts: Buffer[] = []
  res.onData((chunk, isLast) => {
    if (isLast && parts.length === 0) return done(Buffer.from(chunk).toString())
    parts.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) done(Buffer.concat(parts).toString())
  })
}
