/** Receipts: Stripe's own where Stripe was paid, and a printable one of this service for every other credit. */
import type { AccountView, StatementRow } from '../../accounts/views.ts'
import { Document } from '../layout/document.tsx'
import { Mark } from '../layout/mark.tsx'
import { Page } from '../layout/page.tsx'
import { Pages, pageOf } from '../layout/pager.tsx'
import { Table, Time } from '../layout/parts.tsx'
import { money, plural } from '../layout/words.ts'
import type { Recharge } from '../payments/recharge.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'

const ROWS_PER_PAGE = 50
/** What has a document. The free credit of a new account cost nobody anything. */
const KINDS: Partial<Record<StatementRow['kind'], string>> = {
  payment: 'Payment',
  operator: 'Credited by the operator',
  test: 'Test payment: no money has moved',
}

export function addReceiptPages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts, log, config } = dashboard
  const receiptsOf = ({ id }: AccountView) =>
    accounts.statement(id).filter(({ kind }) => KINDS[kind] !== undefined)

  app.get('/receipts', c => c.html(<ReceiptList c={c} rows={receiptsOf(c.var.account).toReversed()} />))

  app.get('/receipts/:sequence', async c => {
    const { account } = c.var
    const sequence = c.req.param('sequence')
    const row = receiptsOf(account).find(row => String(row.sequence) === sequence)
    if (row === undefined) return c.notFound()
    const url = await recharge.receiptUrl?.(row).catch((error: unknown) => {
      log.warn({ err: error, account: account.id }, 'stripe did not give a receipt')
      return null
    })
    if (url != null) return c.redirect(url, 303)
    return c.html(<Receipt account={account} row={row} seller={config.dashboard.seller} />)
  })
}

function ReceiptList({ c, rows }: { c: PageContext; rows: readonly StatementRow[] }) {
  const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE))
  const page = Math.min(pageOf(c), pages)
  const shown = rows.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)
  return (
    <Page c={c} title="Receipts" lead="One for each payment and credit. Refunds are on the statement.">
      {rows.length === 0 ? (
        <p class="empty">
          Nothing has been paid yet. <a href="/balance#recharge">Recharge</a>
        </p>
      ) : (
        <section class="lines stack">
          <Table caption="Receipts" heads={['Date', 'What', 'Reference', '>Amount', '']}>
            {shown.map(row => (
              <tr>
                <td>
                  <Time ms={row.timeMs} />
                </td>
                <td>{KINDS[row.kind]}</td>
                <td>{row.reference}</td>
                <td class="number">{money(paid(row))}</td>
                <td>
                  <a href={`/receipts/${row.sequence}`} aria-label={`Receipt ${row.sequence}`}>
                    Receipt
                  </a>
                </td>
              </tr>
            ))}
          </Table>
          <Pages
            {...{ page, pages }}
            matches={plural(rows.length, 'receipt')}
            pathOf={to => `/receipts?page=${to}`}
          />
        </section>
      )}
    </Page>
  )
}

/** What was paid in, with what of it has paid a debt. */
function paid({ micros, debtMicros }: StatementRow): number {
  return micros - debtMicros
}

interface ReceiptProps {
  account: AccountView
  row: StatementRow
  /** Lines with which the operator signs. */
  seller: readonly string[]
}

/** A page for paper: black on white, without navigation. */
function Receipt({ account, row, seller }: ReceiptProps) {
  const { sequence, timeMs, kind, reference, note, debtMicros } = row
  const facts: [name: string, value: string][] = [
    ['Number', `${account.id}-${sequence}`],
    ['Date', `${new Date(timeMs).toISOString().slice(0, 10)} (UTC)`],
    ['For', account.email],
    ['Item', 'Postal code queries, prepaid'],
    ['Paid by', KINDS[kind] ?? kind],
    ['Reference', reference],
    ['Note', note],
    ['Of this, towards a debt', debtMicros === 0 ? '' : money(-debtMicros)],
  ]
  return (
    <Document title={`Receipt ${sequence}`}>
      <main class="receipt">
        <header>
          <span class="brand">
            <Mark />
            postrie
          </span>
          <address>
            {seller.map(line => (
              <span>{line}</span>
            ))}
          </address>
        </header>
        <h1>Receipt</h1>
        <dl class="pairs">
          {facts
            .filter(([, value]) => value !== '')
            .map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ))}
        </dl>
        <p class="total">
          <span>Total</span> <strong>{money(paid(row))}</strong> <span>US dollars</span>
        </p>
        <p class="hint screen-only">
          Print this page, or save it as PDF, from the menu of your browser.{' '}
          <a href="/receipts">All receipts</a>
        </p>
      </main>
    </Document>
  )
}
