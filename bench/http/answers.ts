/** What the servers of a comparison answer: equal work for all of them. */
import { isDeepStrictEqual } from 'node:util'
import type { Server } from './server.ts'
import type { EndpointName } from './setup.ts'

/** Median length of an answer, which the bare handler then sends. */
export async function typicalBytes(
  server: Server,
  endpoint: EndpointName,
  bodies: readonly string[],
): Promise<number> {
  const lengths: number[] = []
  for (const body of bodies)
    lengths.push((await (await server.post(endpoint, body)).arrayBuffer()).byteLength)
  return lengths.sort((a, b) => a - b)[lengths.length >> 1]
}

/** Rivals must do the same work: their answers are postrie's but for times and balance. @throws Error when one is not */
export async function compareAnswers(
  postrie: Server,
  rival: Server,
  endpoint: EndpointName,
  bodies: readonly string[],
) {
  for (const body of bodies) {
    const [one, other] = await Promise.all(
      [postrie, rival].map(async server => {
        const answer = (await (await server.post(endpoint, body)).json()) as Record<string, unknown>
        for (const varying of ['performance', 'balance', 'responseTime']) delete answer[varying]
        return answer
      }),
    )
    if (!isDeepStrictEqual(one, other)) {
      const [asked, theirs, ours] = [body, JSON.stringify(other), JSON.stringify(one)].map(text =>
        text.slice(0, 500),
      )
      throw new Error(`a rival answers ${asked} with ${theirs}, postrie with ${ours}`)
    }
  }
}
