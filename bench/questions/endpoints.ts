/** How near do the endpoints beyond the contract come to a look-up, in one run on one server? */
import { writeEndpointBodies } from '../http/endpoint-bodies.ts'
import { loadService, P99, PROCESSOR, REQUESTS } from '../http/load.ts'
import { Server } from '../http/server.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const CONNECTIONS = 64
/** Few enough that batches that the load before has left behind do not fill the queue of the workers. */
const BATCH_CONNECTIONS = 24
const RECORDS = 'records/s'

export const endpoints: Question = {
  name: 'endpoints',
  text: 'requests/s, and of batches records/s, of every endpoint beyond the contract beside lookup',
  rivals: false,
  run: runEndpoints,
}

async function runEndpoints({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const loads = writeEndpointBodies(index)
  const server = await Server.start('postrie', { indexFile: index.path })
  const one =
    ({ path, file, records }: (typeof loads)[string]) =>
    async () => {
      const service = {
        apiKey: server.apiKey,
        url: () => `http://127.0.0.1:${server.port}${path}`,
        cpuMicros: () => server.child.call<number>('cpuMicros'),
      }
      const taken = await loadService(
        service,
        'lookup',
        records > 1 ? BATCH_CONNECTIONS : CONNECTIONS,
        file,
        quick ? 1 : 3,
      )
      return { ...taken, [RECORDS]: taken[REQUESTS] * records }
    }
  log(`${Object.keys(loads).length} loads in turn`)
  const taken = await inTurn(
    Object.fromEntries(Object.entries(loads).map(([name, load]) => [name, one(load)])),
    quick ? 1 : 5,
  )
  await server.end()
  const names = Object.keys(loads)
  const measures = names.flatMap(name =>
    ([RECORDS, PROCESSOR, P99] as const).map(unit => measure(name, 'postrie', unit, taken[name][unit])),
  )
  const ratios = names
    .filter(name => name !== 'lookup')
    .map(name => ({
      text: `${name}: records/s against lookup`,
      value: ratioOf(taken[name][RECORDS], taken.lookup[RECORDS]),
      wanted: '>= 0.5',
    }))
  return { measures, ratios, charts: [], notes: [NOTE] }
}

const NOTE =
  'Points and names are drawn from the whole world; nearest answers with ten codes, autocomplete with up to ten codes and ten names.'
