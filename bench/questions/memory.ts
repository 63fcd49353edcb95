/** How much memory does the server hold with the world loaded? */
import { writeFileSync } from 'node:fs'
import { viewCode } from '../../src/index/codes/code-view.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { Server } from '../http/server.ts'
import { runWrk } from '../http/wrk.ts'
import { worldIndex } from '../input/worlds.ts'
import { CACHE_FOLDER } from '../paths.ts'
import { type Answer, type Measure, measure, type Options, type Question } from '../question.ts'
import { spreadOf } from '../statistics.ts'

const UNIT = 'MB resident'
const SECONDS_PER_RUN = 10

export const memory: Question = {
  name: 'memory',
  text: 'resident memory of the server at rest, and after every code of the world was asked for',
  rivals: false,
  run: runMemory,
}

async function runMemory({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodiesFile = writeAllCodes(index)
  const server = await Server.start('postrie', { indexFile: index.path })
  const measures: Measure[] = []
  const note = async (name: string) => {
    const resident = await server.child.call<{ all: number; file: number }>('resident')
    measures.push(measure('server', `postrie, ${name}`, UNIT, spreadOf([resident.all / 2 ** 20])))
    measures.push(
      measure('server', `of it mapped files and code, ${name}`, UNIT, spreadOf([resident.file / 2 ** 20])),
    )
    return resident.all / 2 ** 20
  }
  await note('at rest')
  for (const endpoint of ['lookup', 'metacode'] as const) {
    // Each run of wrk starts at the top of the file, so one run must reach its end.
    for (let seconds = SECONDS_PER_RUN, asked = 0; asked < (quick ? 1 : index.file.codeCount); seconds *= 2) {
      log(`${endpoint}: asking for every code`)
      const url = server.url(endpoint)
      asked = (await runWrk({ url, connections: 64, seconds, bodiesFile, apiKey: server.apiKey })).requests
    }
  }
  const warm = await note('after every code was asked for')
  await server.end()
  return {
    measures,
    ratios: [{ text: 'MB resident after a warm run over all codes', value: warm, wanted: '<= 200' }],
    charts: [],
    notes: [
      'Pages of the index are shared with the bulk workers and with every other process that maps the file.',
    ],
  }
}

function writeAllCodes(index: PostalIndex): string {
  const file = `${CACHE_FOLDER}all-codes.txt`
  const lines = countriesOf(index).flatMap(country => {
    const { codeStart, codeCount } = country.meta
    return Array.from({ length: codeCount }, (_, i) =>
      JSON.stringify({
        apiKey: '@KEY@',
        zipcode: viewCode(index, country, codeStart + i).written,
        country: country.cc,
      }),
    )
  })
  writeFileSync(file, lines.join('\n'))
  return file
}
