/** Asks a running server, over its Unix socket, to run a command. */
import { request } from 'node:http'
import { OPERATOR_ANSWER_BYTES_MAX } from '../../limits.ts'
import { isOperatorErrorCode, OperatorError } from './operator-error.ts'
import { type SocketPath, socketPath } from './socket-path.ts'

export const RELOAD = 'index.reload'
/** Command of a server alone: says where it listens, as `ServerPorts`. */
export const PORTS = 'server.ports'

export interface ServerPorts {
  pid: number
  port: number
  controlPort: number
}

type ServerAnswer = { reached: true; result: unknown } | { reached: false }

/** Codes of a connection when no server listens: no socket, or one that a dead server left. */
const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR']

/** Returns the server's answer, if one listens on `socketFile`. @throws OperatorError as the server says, or `unavailable` */
export async function askServer(socketFile: string, name: string, params: unknown): Promise<ServerAnswer> {
  let text: string
  let socket: SocketPath | undefined
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
    // The request may have been carried out before the connection broke; saying so beats a blind retry.
    throw new OperatorError(
      'unavailable',
      `the server broke off (${message}); check whether '${name}' took effect`,
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
    throw new OperatorError('unavailable', 'the server gave an answer that is not JSON')
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
