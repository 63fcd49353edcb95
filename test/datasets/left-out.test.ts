/** What is left out for a reason is left out: a source that is added later makes the reason untrue. */
import t from 'tap'
import { LEFT_OUT } from '../../datasets/reference/left-out.ts'
import { NPM_SOURCES } from '../../datasets/registry.ts'

for (const [country, reason] of Object.entries(LEFT_OUT)) {
  const sources = NPM_SOURCES.filter(({ countries }) => country in countries).map(({ id }) => id)
  t.same(sources, [], `${country}: ${reason}`)
}
