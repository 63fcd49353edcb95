/** Runs `postrie check` on texts in this process. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openIndex } from '../../../src/postal/index/open-index.ts'
import { type CheckerOptions, type CheckReport, runCheck } from '../../../src/programs/pipeline/check.ts'
import { pieceChecker } from '../../../src/programs/pipeline/index-worker.ts'
import type { CheckRequest } from '../../../src/programs/pipeline/plan.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const REQUEST: CheckRequest = {
  from: 'csv',
  to: 'csv',
  code: undefined,
  countryColumn: undefined,
  city: undefined,
  state: undefined,
  verify: false,
  country: undefined,
  delimiter: undefined,
  fields: [],
  prefix: '',
  padDigits: false,
  ragged: false,
  malformed: 'stop',
}

export interface Checked extends CheckReport {
  text: string
  notes: string[]
}

export interface TestChecker {
  /** Checks `input` and returns the results. @throws errors of `runCheck` */
  check(
    input: string | Uint8Array,
    request?: Partial<CheckRequest>,
    encoding?: string,
    name?: string,
  ): Promise<Checked>
  folder: string
}

/** @param index path of an index file that this thread reads, or another checker */
export function checkerOf(t: Test, index: string | CheckerOptions): TestChecker {
  const folder = temporaryFolder(t)
  const checker = typeof index === 'string' ? inThisThread(index) : index
  return {
    folder,
    async check(input, request = {}, encoding = undefined, name = 'input') {
      const [source, output] = [name, 'output'].map(file => join(folder, file))
      const notes: string[] = []
      writeFileSync(source, input)
      const report = await runCheck({
        request: { ...REQUEST, ...request },
        input: source,
        encoding,
        output,
        overwrites: true,
        resumes: false,
        checker,
        onNote: note => notes.push(note),
        onProgress: () => {},
        signal: new AbortController().signal,
      })
      if (report === undefined) throw new Error('it was complete already')
      return { ...report, notes, text: readFileSync(output, 'utf8') }
    },
  }
}

function inThisThread(indexFile: string): CheckerOptions {
  const index = openIndex(indexFile)
  return {
    build: 'build',
    open(plan) {
      const check = pieceChecker(index, plan)
      return { concurrency: 2, check: async piece => check(piece), close: async () => {} }
    },
  }
}
