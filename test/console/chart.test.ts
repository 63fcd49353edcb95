import t from 'tap'
import { axisOf } from '../../src/console/layout/chart.tsx'

t.test('an axis has at most six lines, with round gaps', async t => {
  for (const [most, ...lines] of [
    [1, 0, 1],
    [5, 0, 1, 2, 3, 4, 5],
    [6, 0, 2, 4, 6],
    [11, 0, 5, 10, 15],
    [101, 0, 25, 50, 75, 100, 125],
    [250, 0, 50, 100, 150, 200, 250],
    [1001, 0, 250, 500, 750, 1000, 1250],
    [3_000_000, 0, 1_000_000, 2_000_000, 3_000_000],
  ])
    t.same(axisOf(most), lines, `up to ${most}`)
  t.same(axisOf(50, -100), [-100, -50, 0, 50], 'below 0, too')
})
