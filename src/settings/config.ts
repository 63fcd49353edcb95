/** The settings of the service: environment variables, read once and checked together. */

import type { KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { ProxySettings } from '../forwarded.ts'
import {
  FEW_CORES,
  FLUSH_MS_DEFAULT,
  FLUSH_MS_FEW_CORES,
  FREE_ANSWERS_PER_MINUTE_DEFAULT,
  HTTP_THREADS_MAX,
  INDEX_CHECK_SECONDS_DEFAULT,
  REQUEST_LOG_MB_DEFAULT,
  REQUEST_LOG_MB_MAX,
} from '../limits.ts'
import { type AnswerHeader, readAnswerHeaders } from './answer-headers.ts'
import { type DashboardSettings, isLoopback, readDashboardSettings } from './dashboard-settings.ts'
import { EnvReader } from './env.ts'
import { readProxies } from './proxies.ts'

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
const MEBIBYTE = 1024 * 1024

export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Config {
  /** Address that both planes listen on. */
  host: string
  /** Port of the API; 0: any free one, which is printed at the start. */
  port: number
  /** Port of the dashboard and metrics; 0 as above. */
  controlPort: number
  /** Absolute path of the folder that holds the ledger, the meter, the socket and, by default, the index. */
  dataDir: string
  /** Address of the PostgreSQL database of the fleet that this node belongs to; null: this process keeps the accounts in its ledger. */
  accountsUrl: string | null
  /** Absolute path of the index file. */
  indexFile: string
  /** Address of the manifest of a published index, which the server follows; null: only `indexFile` counts. */
  indexUrl: string | null
  /** Who must have signed that manifest; null: anybody who may write to the address. */
  indexPublicKey: KeyObject | null
  /** Milliseconds between two looks at that address. */
  indexCheckMs: number
  /** Absolute path of the operator's socket. */
  socketFile: string
  /** Milliseconds between two syncs of usage: what a power loss may cost the operator at most. */
  flushMs: number
  /** Threads that answer the API. More than one only where the system shares a port fairly among them. */
  httpThreads: number
  /** Threads that validate large bulk requests; 0: the server threads do it. */
  bulkWorkers: number
  /** Answers 404, which are free, that an account gets in a minute before it gets 429. */
  freeAnswersPerMinute: number
  /** Connections of the API from one address (IPv6: one /64); 0: half of all. */
  connectionsPerAddress: number
  /** Proxies of both planes whose word on their clients counts. */
  proxies: ProxySettings
  logLevel: LogLevel
  /** Headers that every answer of the API has. */
  answerHeaders: readonly AnswerHeader[]
  /** Bytes for the request logs of all accounts; 0: none. */
  requestLogBytes: number
  /** Share of requests that are traced, 0 to 1; 0: tracing is off. */
  traceShare: number
  /** Address of the dashboard as browsers see it, without a trailing slash; null: as the server listens. */
  publicUrl: string | null
  /** Address of the API as programs see it, for the examples of the dashboard; null: as the server listens. */
  apiUrl: string | null
  dashboard: DashboardSettings
}

/**
 * Settings of `env`. Relative paths start at the working directory.
 * @throws EnvError that names every wrong setting at once.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const reader = new EnvReader(env)
  const dataDir = resolve(reader.text('DATA_DIR', './data'))
  const host = reader.text('HOST', '127.0.0.1')
  const publicUrl = reader.url('PUBLIC_URL')
  const config: Config = {
    host,
    port: reader.integer('PORT', 8080, 0, 65_535),
    controlPort: reader.integer('CONTROL_PORT', 8081, 0, 65_535),
    dataDir,
    accountsUrl: reader.databaseUrl('ACCOUNTS'),
    indexFile: resolve(reader.text('INDEX_FILE', join(dataDir, 'index.postrie'))),
    ...readPublication(reader),
    socketFile: join(dataDir, 'control.sock'),
    flushMs: reader.integer('FLUSH_MS', flushMsDefault(), 1, 1000),
    httpThreads: readThreads(reader),
    bulkWorkers: reader.integer('BULK_WORKERS', Math.min(4, availableParallelism()), 0, 64),
    freeAnswersPerMinute: reader.integer(
      'FREE_ANSWERS_PER_MINUTE',
      FREE_ANSWERS_PER_MINUTE_DEFAULT,
      1,
      1_000_000_000,
    ),
    connectionsPerAddress: reader.integer('CONNECTIONS_PER_ADDRESS', 0, 0, 1_000_000),
    proxies: readProxies(reader),
    logLevel: reader.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    answerHeaders: readAnswerHeaders(reader),
    requestLogBytes:
      reader.integer('REQUEST_LOG_MB', REQUEST_LOG_MB_DEFAULT, 0, REQUEST_LOG_MB_MAX) * MEBIBYTE,
    traceShare: reader.share('TRACE_SHARE', 0),
    publicUrl,
    apiUrl: reader.url('PUBLIC_API_URL'),
    dashboard: readDashboardSettings(reader, host, publicUrl),
  }
  if (config.port !== 0 && config.port === config.controlPort) {
    reader.problem('CONTROL_PORT', String(config.controlPort), 'another port than PORT')
  }
  reader.finish()
  return config
}

function readPublication(reader: EnvReader): Pick<Config, 'indexUrl' | 'indexPublicKey' | 'indexCheckMs'> {
  const indexUrl = reader.url('INDEX_URL')
  const indexPublicKey = reader.publicKey('INDEX_PUBLIC_KEY')
  const host = indexUrl === null ? '' : new URL(indexUrl).hostname
  const isClear = indexUrl?.startsWith('http://') === true && !isLoopback(host)
  if (isClear && indexPublicKey === null)
    reader.problem(
      'INDEX_URL',
      indexUrl ?? '',
      'https://, or INDEX_PUBLIC_KEY as well, since anybody on the way could change it',
    )
  const seconds = reader.integer('INDEX_CHECK_SECONDS', INDEX_CHECK_SECONDS_DEFAULT, 1, 86_400)
  return { indexUrl, indexPublicKey, indexCheckMs: seconds * 1000 }
}

function flushMsDefault(): number {
  return availableParallelism() <= FEW_CORES ? FLUSH_MS_FEW_CORES : FLUSH_MS_DEFAULT
}

/** Only Linux distributes the connections to one port over several threads. */
function readThreads(reader: EnvReader): number {
  if (process.platform !== 'linux') return reader.integer('HTTP_THREADS', 1, 1, 1)
  const spared = Math.max(1, availableParallelism() - 1)
  return reader.integer('HTTP_THREADS', Math.min(spared, HTTP_THREADS_MAX), 1, HTTP_THREADS_MAX)
}
