/**
 * What a request says about itself in headers that few requests have: its id, its trace, whether it asks for the build of the
 * index, and whom a proxy passes it on for. A request without them makes no object.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { randomBytes } from 'node:crypto'
import type { ProxyHeader } from '../forwarded.ts'
import { REQUEST_ID_CHARACTERS_MAX } from '../limits.ts'

export interface RequestNotes {
  /** The client's id, or one made in place of a malformed one; undefined when it sent none. */
  readonly id: string | undefined
  /** The header `traceparent`, unchecked. */
  readonly traceparent: string | undefined
  readonly wantsBuild: boolean
  /** What proxies say about its client, unchecked; several lines are joined by commas. */
  readonly forwarded?: string | undefined
}

/** Distinguishes the ids of this thread and process from those of others. */
const ID_START = newIdStart()
const ID_RADIX = 36

let id: string | undefined
let traceparent: string | undefined
let wantsBuild = false
let forwarded: string | undefined
let hasNotes = false
let areTracesNoted = false
/** The header that is noted; undefined: no proxy is trusted. */
let proxyHeader: ProxyHeader | undefined
let made = 0

/** What ids begin with that one thread makes. */
export function newIdStart(): string {
  return `${randomBytes(5).toString('hex')}-`
}

/** A new id: unique among threads and processes for as long as a log is read. */
export function newRequestId(): string {
  return ID_START + (made++).toString(ID_RADIX)
}

/** Begins another request. */
export function forgetNotes(): void {
  if (!hasNotes) return
  id = undefined
  traceparent = undefined
  wantsBuild = false
  forwarded = undefined
  hasNotes = false
}

export function noteRequestId(value: string): void {
  id = isRequestId(value) ? value : newRequestId()
  hasNotes = true
}

/** Has traces noted from now on. Otherwise the header, which proxies set for everybody, costs nothing. */
export function noteTraces(): void {
  areTracesNoted = true
}

export function noteTraceparent(value: string): void {
  if (!areTracesNoted) return
  traceparent = value
  hasNotes = true
}

/** Has what proxies say in this header noted from now on. Otherwise it costs nothing. */
export function noteForwardedBy(header: ProxyHeader): void {
  proxyHeader = header
}

export function noteForwarded(name: string, value: string): void {
  if (name !== proxyHeader) return
  forwarded = forwarded === undefined ? value : `${forwarded},${value}`
  hasNotes = true
}

export function noteBuildWanted(): void {
  wantsBuild = true
  hasNotes = true
}

/** Keeps with its response what has been noted since `forgetNotes`: uWebSockets.js allows further fields there. */
export function keepNotes(res: HttpResponse): void {
  if (hasNotes) res.notes = { id, traceparent, wantsBuild, forwarded } satisfies RequestNotes
}

/** Gives a request an id that its answer will have. */
export function setRequestId(res: HttpResponse, id: string): void {
  const { traceparent, wantsBuild = false, forwarded } = notesOf(res) ?? {}
  res.notes = { id, traceparent, wantsBuild, forwarded } satisfies RequestNotes
}

export function notesOf(res: HttpResponse): RequestNotes | undefined {
  return res.notes as RequestNotes | undefined
}

/** Whether a client's id may stand in a log line and in a header: 1 to 128 letters, digits and `-._~:/+=@`. */
export function isRequestId(text: string): boolean {
  const { length } = text
  if (length === 0 || length > REQUEST_ID_CHARACTERS_MAX) return false
  for (let i = 0; i < length; i++) if (!isIdCharacter(text.charCodeAt(i))) return false
  return true
}

const ID_CHARACTERS = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/+=@')
  ID_CHARACTERS[character.charCodeAt(0)] = 1

function isIdCharacter(unit: number): boolean {
  return unit < ID_CHARACTERS.length && ID_CHARACTERS[unit] === 1
}
