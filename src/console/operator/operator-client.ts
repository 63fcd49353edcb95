/** Sends commands to a running server over its Unix socket. */
import { closeSync, openSync } from 'node:fs'
import { request } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { isOperatorErrorCode, OperatorError } from './operator-error.ts'

/** Maximum bytes of a Unix socket's path: `sockaddr_un` holds 108 with the closing zero. */
const SOCKET_PATH_BYTES_MAX = 107
/** Maximum bytes of an operator command's answer that the CLI reads. */
const OPERATOR_ANSWER_BYTES_MAX = 256 * 1024 * 1024

export const RELOAD = 'index.reload'
/** Command of servers that returns `ServerPorts`. */
export const PORTS = 'server.ports'

export type ServerPorts = { pid: number; port: number; controlPort: number }

type ServerAnswer = { reached: true; result: unknown } | { reached: false }

const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR']

/** Sends a command to the server, if one listens. @throws OperatorError of the server, or `unavailable` */
export async function askServer(socketFile: string, name: string, params: unknown): Promise<ServerAnswer> {
  let text: string
  let socket: ReturnType<typeof socketPath> | undefined
  try {
    socket = socketPath(socketFile)
    text = await post(socket.path, `/operator/${name}`, JSON.stringify(params))
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== undefined && NOBODY_LISTENS.includes(code)) return { reached: false }
    if (code === 'EACCES' || code === 'EPERM')
      throw new OperatorError(
        'refused',
        `${socketFile} belongs to another user: run this command as the server's user`,
      )
    // Not retried: the server may have run the command before the connection broke.
    throw new OperatorError(
      'unavailable',
      `the connection to the server broke (${message}): check if '${name}' took effect`,
    )
  } finally {
    socket?.free()
  }
  return { reached: true, result: parseAnswer(text) }
}

function parseAnswer(text: string): unknown {
  let answer: { result?: unknown; error?: { code?: unknown; message?: unknown } }
  try {
    answer = JSON.parse(text)
  } catch {
    throw new OperatorError('unavailable', "the server's answer is not JSON")
  }
  if (answer.error === undefined) return answer.result
  const { code, message } = answer.error
  throw new OperatorError(isOperatorErrorCode(code) ? code : 'internal', String(message))
}

function post(socketPath: string, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const outgoing = request({ socketPath, path, method: 'POST', headers, agent: false }, incoming => {
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > OPERATOR_ANSWER_BYTES_MAX) incoming.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      incoming.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Returns `file`, or for a path beyond the kernel's 108 bytes a path through a descriptor of its folder. */
export function socketPath(file: string) {
  if (Buffer.byteLength(file) <= SOCKET_PATH_BYTES_MAX) return { path: file, free: () => {} }
  const folder = openSync(dirname(file), 'r')
  return { path: join('/proc/self/fd', String(folder), basename(file)), free: () => closeSync(folder) }
}
