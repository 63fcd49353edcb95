/** Revenue of the whole service by day, and the accounts that bring most of it. */
import type { ServiceUsage } from '../../accounts/views.ts'
import { Dollars, Fact, Section, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, money } from '../layout/words.ts'

const DAYS_SHOWN = 30
const SPANS = [
  ['Today', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
] as const

export function RevenueSection({ usage }: { usage: ServiceUsage | null }) {
  if (usage !== null) return <Revenue {...usage} />
  return (
    <Section title="Revenue">
      <p class="empty">The histories of all keys are being added up. Reload this page in a few seconds.</p>
    </Section>
  )
}

function Revenue({ days, largest, timeMs }: ServiceUsage) {
  const used = days.slice(-DAYS_SHOWN).filter(({ queries }) => queries > 0)
  const sum = (from: number) => days.slice(from).reduce((micros, day) => micros + day.micros, 0)
  const most = Math.max(1, ...used.map(({ micros }) => micros))
  return (
    <Section
      title="Revenue"
      hint={
        <>
          What queries have cost their accounts, as of <Time ms={timeMs} />.
        </>
      }
    >
      <dl class="facts">
        {SPANS.map(([name, days]) => (
          <Fact name={name}>
            <Dollars micros={sum(-days)} />
          </Fact>
        ))}
      </dl>
      {used.length === 0 ? (
        <p class="empty">Nothing has been charged in the last {DAYS_SHOWN} days.</p>
      ) : (
        <>
          <Table caption="Largest accounts of 30 days" heads={['Account', '>Revenue']}>
            {largest.map(({ id, email, micros }) => (
              <tr>
                <th scope="row">
                  <a href={`/operator/accounts/${id}`} class="label" title={email}>
                    {email}
                  </a>
                </th>
                <td class="number">{fixedMoney(micros)}</td>
              </tr>
            ))}
          </Table>
          <RevenueChart days={days.slice(-DAYS_SHOWN)} />
          <details>
            <summary>By day</summary>
            <Table caption="Revenue by day" heads={['Day', '>Queries', '>Revenue', 'Share of the best day']}>
              {used.toReversed().map(({ startMs, queries, micros }) => (
                <tr>
                  <td>{utcDay(startMs)}</td>
                  <td class="number">{count(queries)}</td>
                  <td class="number">{fixedMoney(micros)}</td>
                  <td>
                    <progress max={most} value={micros} aria-label="Share of the best day" />
                  </td>
                </tr>
              ))}
            </Table>
          </details>
        </>
      )}
    </Section>
  )
}

/** A bar for each day, drawn on the server: the same without scripts. The table below has the numbers. */
function RevenueChart({ days }: { days: ServiceUsage['days'] }) {
  const most = Math.max(1, ...days.map(({ micros }) => micros))
  return (
    <>
      <div class="bars" role="img" aria-label={`Revenue of each of the last ${days.length} days`}>
        {days.map(({ startMs, micros }) => (
          <svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true">
            <title>{`${utcDay(startMs)}: ${money(micros)}`}</title>
            <rect x="0" width="1" y={100 - (100 * micros) / most} height={(100 * micros) / most} />
          </svg>
        ))}
      </div>
      <p class="hint bar-ends">
        <span>{utcDay(days[0]?.startMs ?? 0)}</span>
        <span>{utcDay(days.at(-1)?.startMs ?? 0)}</span>
      </p>
    </>
  )
}

function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
