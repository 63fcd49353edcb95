/** Routes of the data plane: an operation for each endpoint of the table, and routes without a key. */
import uws, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js'
import { bodyHandlerOf } from '../api/body-handler.ts'
import type { Clients } from '../api/clients.ts'
import { ApiRequest, type ThreadContext } from '../api/request.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINT_LIST, pathsOf } from '../endpoints/table.ts'
import { ERRORS } from '../errors.ts'
import { BODY_BYTES_MAX, BULK_BODY_BYTES_MAX } from '../limits.ts'
import { openApiDocument } from '../openapi/document.ts'
import { type BodyBounds, type BodyReceiver, bodyReader } from './body.ts'
import type { Counts, ProcessCounts } from './counts.ts'
import { ENDPOINT_BY_NUMBER, endpointNumberAt, OTHER_ENDPOINT } from './labels.ts'
import { type FixedReply, ignoreAbort, type Observers, Replies, type ReportError } from './replies.ts'
import { RequestHead } from './request-head.ts'
import { NO_BODY } from './turns.ts'

export interface AppParts {
  context: ThreadContext
  connectionsMax: number
  report: ReportError
  isDraining: () => boolean
  counts: Counts
  bodyBounds: BodyBounds
  observers: Observers
  clients: Clients
}

export interface DataApp {
  app: TemplatedApp
  replies: Replies
}

type Handler = (res: HttpResponse, req: HttpRequest) => void

export function createApp(parts: AppParts): DataApp {
  const { context, connectionsMax, report, bodyBounds, counts, observers, clients } = parts
  const app = uws.App()
  const request = new ApiRequest(context, clients)
  const replies = new Replies({ request, report, counts, observers, clients })
  const { turns } = replies
  const readBody = bodyReader(turns, replies.refusals, counts.thread, bodyBounds)
  const head = new RequestHead({
    proxyHeader: clients.proxyHeader,
    traceparent: observers.tracer !== undefined,
    origin: observers.heads.hasOrigins,
    givesId: observers.heads.givesId,
  })

  /** Answers a request without a body by `reply`, at once or after this turn. */
  const fixed = (reply: (res: HttpResponse, req: HttpRequest) => FixedReply, endpointNumber: number) =>
    framed((res, req) => {
      const isHead = req.getMethod() === 'head'
      const made = reply(res, req)
      turns.run(res, NO_BODY, {
        answer: (res, _body, isPadded) => replies.answerFixed(res, made, isHead, endpointNumber, isPadded),
        isPaddable: !isHead,
      })
    })

  /** Wraps `answer` so that ambiguous framing is refused. */
  const framed =
    (answer: Handler): Handler =>
    (res, req) => {
      if (head.read(req, res)) answer(res, req)
      else replies.refusals.framing(res)
    }

  const always = (reply: FixedReply, endpointNumber: number) => fixed(() => reply, endpointNumber)

  /** Answers a browser's preflight, which precedes a JSON body or an own header. */
  const preflight = (refusal: FixedReply, endpointNumber: number) =>
    fixed(res => {
      const isAllowed = observers.heads.allowedOrigin(res.notes) !== undefined
      return isAllowed ? PREFLIGHT : refusal
    }, endpointNumber)

  const addOperation = (path: string, endpoint: Endpoint) => {
    const endpointNumber = endpointNumberAt(path)
    const bytesMax = endpoint.isBulk ? BULK_BODY_BYTES_MAX : BODY_BYTES_MAX
    const answer = replies.answerWith(endpointNumber, bodyHandlerOf(endpoint, request))
    const plain: BodyReceiver = { answer, isPaddable: true, bytesMax, endpointNumber }
    const refuse = (res: HttpResponse) => replies.refusals.encoded(res, endpointNumber)
    const encoded: BodyReceiver = { ...plain, answer: refuse, isPaddable: false }
    const handler = framed(res => {
      res.onAborted(ignoreAbort)
      readBody(res, res.notes?.isEncoded === true ? encoded : plain)
    })
    for (const each of withSlash(path))
      app
        .post(each, handler)
        .options(each, preflight(NOT_ALLOWED, endpointNumber))
        .any(each, always(NOT_ALLOWED, endpointNumber))
  }

  const addFixed = (paths: readonly string[], reply: (res: HttpResponse, req: HttpRequest) => FixedReply) => {
    const handler = fixed(reply, OTHER_ENDPOINT)
    for (const path of paths) app.get(path, handler).head(path, handler)
  }

  for (const endpoint of ENDPOINT_LIST) for (const path of pathsOf(endpoint)) addOperation(path, endpoint)
  addFixed(['/api/*'], (_res, req) => {
    // A person who tries an endpoint in a browser learns what a request looks like.
    const message = req.getQuery() ? hintFor(req.getUrl()) : undefined
    return { status: 200, body: { status: 'warm', message } }
  })
  addFixed(withSlash('/healthz'), () => ({ status: 200, body: { status: 'ok' } }))
  addFixed(withSlash('/readyz'), () => {
    const reasons: string[] = []
    if (parts.isDraining()) reasons.push('the server is stopping')
    if (!context.charging.healthy) reasons.push('the ledger cannot be written')
    if (!context.charging.canLease) reasons.push('the database of the fleet does not answer')
    if (reasons.length === 0) return { status: 200, body: { status: 'ok' } }
    return { status: 503, body: { status: 'unavailable', reasons } }
  })
  let document: Buffer | undefined
  addFixed(withSlash('/openapi.json'), () => {
    document ??= Buffer.from(JSON.stringify(openApiDocument('/')))
    return { status: 200, body: document }
  })
  for (const path of withSlash('/openapi.json')) app.options(path, preflight(ONLY_GET, OTHER_ENDPOINT))
  app.any('/*', always(NOT_FOUND, OTHER_ENDPOINT))
  countConnections(app, counts.shared, connectionsMax)
  return { app, replies }
}

const NOT_ALLOWED = notAllowed('POST')
const ONLY_GET = notAllowed('GET, HEAD')
const PREFLIGHT: FixedReply = {
  status: 200,
  body: {},
  headers: {
    'Access-Control-Allow-Methods': 'POST, GET',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-API-Key, X-Request-Id, X-Index-Build',
    'Access-Control-Max-Age': '86400',
  },
}
const NOT_FOUND: FixedReply = { status: 404, body: { error: ERRORS.PATH_NOT_FOUND.text } }

function notAllowed(methods: string): FixedReply {
  return { status: 405, body: { error: ERRORS.METHOD_NOT_ALLOWED.text }, headers: { Allow: methods } }
}

/** Returns a sentence that shows a request to `path`, or to the first endpoint. */
function hintFor(path: string): string {
  const endpoint = ENDPOINT_BY_NUMBER[endpointNumberAt(path.replace(/\/$/, ''))] ?? ENDPOINT_LIST[0]
  const body = JSON.stringify({ ...endpoint.example.body, apiKey: '<API_KEY>' })
  return `This GET only opens a connection. A request is POST /api/${endpoint.name} with a JSON body: ${body}`
}

function withSlash(path: string): string[] {
  return [path, `${path}/`]
}

/** Counts connections. uWebSockets.js calls its filter after each accept and each close. */
function countConnections(app: TemplatedApp, counts: ProcessCounts, connectionsMax: number): void {
  const count: Parameters<TemplatedApp['filter']>[0] = (res, change) => {
    if (Number(change) < 0) counts.countClosed()
    else if (!counts.countOpened(connectionsMax)) res.close()
  }
  app.filter(count)
}

const LISTEN_EXCLUSIVELY = 1
const LISTEN_SHARED = 0

/** Overload that the package's types lack. */
type Listen = (
  host: string,
  port: number,
  options: number,
  done: (socket: us_listen_socket | false) => void,
) => void

/** Listens on `host:port`, 0 for a free port. Threads may share it: the kernel distributes connections. */
export function listen(app: TemplatedApp, host: string, port: number, isShared: boolean) {
  const options = isShared ? LISTEN_SHARED : LISTEN_EXCLUSIVELY
  const listenOn = app.listen.bind(app) as unknown as Listen
  return new Promise<us_listen_socket | false>(resolve => listenOn(host, port, options, resolve))
}
