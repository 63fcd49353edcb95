/** Bodies that two versions can be compared with. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { EndpointName } from '../http/setup.ts'
import type { RunningService } from './checkout.ts'

/**
 * Leaves in `file` only the bodies that every service answers with success, since two builders may know different codes and
 * cities. Returns how many there are.
 */
export async function keepAnswered(
  file: string,
  endpoint: EndpointName,
  services: readonly RunningService[],
): Promise<number> {
  const kept: string[] = []
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const answers = await Promise.all(
      services.map(async service => {
        const answer = await fetch(service.url(endpoint), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: line.replace('@KEY@', service.apiKey),
        })
        await answer.arrayBuffer()
        return answer.ok
      }),
    )
    if (answers.every(Boolean)) kept.push(line)
  }
  if (kept.length === 0) throw new Error(`no body of ${file} is answered with success by both checkouts`)
  writeFileSync(file, kept.join('\n'))
  return kept.length
}
