/** What every server of the comparison takes and returns. */
import { createServer } from 'node:net'
import type { Step } from './steps.ts'

export const ENDPOINTS = ['lookup', 'metacode', 'validate', 'city', 'bulk'] as const
export type EndpointName = (typeof ENDPOINTS)[number]

export const PATHS: Readonly<Record<EndpointName, string>> = {
  lookup: '/api/lookup',
  metacode: '/api/metacode',
  validate: '/api/validate',
  city: '/api/city',
  bulk: '/api/validate-bulk',
}

export interface Setup {
  indexFile: string
  port: number
  /** Bytes that the bare handler answers with, by endpoint. */
  answerBytes?: Readonly<Record<string, number>>
  /** For the server `steps`: how far it goes. */
  lastStep?: Step
  /** For postrie: server threads, 1 by default, and accounts with a key each, 1 by default. */
  threads?: number
  accounts?: number
  /** For all others: processes that share the port, 1 by default. */
  processes?: number
  /** For postrie: a data folder with a ledger, in place of a new one with `accounts`. */
  dataFolder?: string
  /** For postrie: further settings. */
  env?: Readonly<Record<string, string>>
}

export interface Started {
  /** Key of an account with enough money. */
  apiKey: string
  /** The keys of all accounts, where there are several. */
  apiKeys?: readonly string[]
  /** Address of the dashboard with the token of its development sign-in, where there is a dashboard. */
  entrance?: string
  controlPort?: number
  /** The operator's socket, where there is one. */
  socketFile?: string
}

/** What a server's process keeps to itself. */
export interface Running extends Started {
  /** Ends the server before its process ends, where that must be done in order. */
  stop?(): Promise<void>
  /** Microseconds of processor time so far of the processes that it has started. */
  cpuMicros?(): Promise<number>
}

export type Start = (setup: Setup) => Promise<Running>

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(done => probe.listen(0, '127.0.0.1', done))
  const address = probe.address()
  await new Promise(done => probe.close(done))
  if (address === null || typeof address === 'string') throw new Error('the system gave no port')
  return address.port
}
