/** Keys read from where the last one was left are those of a walk from the root. */
import t from 'tap'
import { nearOrder } from '../../../src/format/near-order.ts'
import { KeyReader } from '../../../src/index/codes/key-reader.ts'
import { codeSymbols } from '../../../src/index/codes/trie.ts'
import { countriesOf } from '../../../src/index/postal-index.ts'
import { questionIndex } from '../../support/question-index.ts'
import { seededRandom } from '../../support/random.ts'

const index = questionIndex()
const countries = countriesOf(index)

t.test('keys of codes near each other and far apart, in one country and across borders', async t => {
  const random = seededRandom(1)
  const reader = new KeyReader(index.trie)
  const expected = new Uint8Array(16)
  let differ = 0
  for (let round = 0; round < 20_000; round++) {
    const { root, codeStart, codeCount } = countries[random(countries.length)]
    let code = codeStart + random(codeCount)
    for (let step = 0; step < 5; step++) {
      const length = codeSymbols(index.trie, root, code, expected)
      const read = reader.read(root, codeStart + codeCount, code)
      if (read !== length || expected.some((symbol, i) => i < length && symbol !== reader.symbols[i]))
        differ++
      const reach = 10 ** random(4)
      const next = code + random(2 * reach) - reach
      code = Math.max(codeStart, Math.min(codeStart + codeCount - 1, next))
    }
  }
  t.equal(differ, 0)
})

t.test('an order of points: each once, those at one place ascending, neighbours together', async t => {
  const random = seededRandom(2)
  const side = 64
  const count = side * side
  const norths = Int32Array.from({ length: count }, () => random(side))
  const easts = Int32Array.from({ length: count }, () => random(side))
  const order = nearOrder(norths, easts)
  t.equal(new Set(order).size, count)
  const last = new Map<number, number>()
  let descents = 0
  for (const point of order) {
    const position = norths[point] * side + easts[point]
    if ((last.get(position) ?? -1) > point) descents++
    last.set(position, point)
  }
  t.equal(descents, 0)
  const extents = Array.from({ length: count / 16 }, (_, leaf) => {
    const points = Array.from(order.subarray(leaf * 16, leaf * 16 + 16))
    const reach = (values: Int32Array) => {
      const own = points.map(point => values[point])
      return Math.max(...own) - Math.min(...own)
    }
    return reach(norths) + reach(easts)
  })
  // Sixteen points in a square have a side of four.
  t.ok(extents.reduce((sum, extent) => sum + extent, 0) / extents.length < 10)
  t.same([...nearOrder(new Int32Array(0), new Int32Array(0))], [])
})
