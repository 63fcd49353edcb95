/** Receipts of payments: Stripe's own where Stripe was paid, otherwise a page of ours for paper. */
import type { AccountView, StatementRow } from '../../accounts/views.ts'
import type { Dashboard, PageApp } from '../dashboard.ts'
import { Brand, Document } from '../layout/document.tsx'
import { asked, List, paged } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Named, Pairs, Time } from '../layout/parts.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { entryText, noteText } from '../reports/statement.ts'
import { money, sixDecimals, utcMinute } from '../words.ts'

const KINDS: Partial<Record<StatementRow['kind'], string>> = {
  payment: 'Payment',
  test: 'Test payment: no money has moved',
}

const FILE: FileColumns<StatementRow> = {
  receipt: ({ sequence }) => sequence,
  time: ({ timeMs }) => new Date(timeMs).toISOString(),
  kind: ({ kind }) => kind,
  amount_usd: row => sixDecimals(paid(row)),
  reference: ({ reference }) => reference,
  note: ({ note }) => note,
}

export function addReceiptPages(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts, log, config } = dashboard
  const receiptsOf = ({ id }: AccountView) => accounts.statement(id).filter(isReceipt)

  app.get('/receipts', c =>
    c.html(
      <Page c={c} title="Receipts" lead="One for each payment. Credits and refunds are on the statement.">
        <List
          c={c}
          caption="Receipts"
          found={paged(receiptsOf(c.var.account).toReversed(), asked(c, {}).page)}
          noun={['receipt']}
          file="/receipts.csv"
          empty={
            <>
              Nothing has been paid yet. <a href="/balance#recharge">Recharge</a>
            </>
          }
          columns={[
            { head: 'Date', cell: ({ timeMs }) => <Time ms={timeMs} /> },
            {
              head: 'What',
              cell: row => <Named name={KINDS[row.kind] ?? row.kind} under={entryText(row)} />,
            },
            { head: 'Amount', kind: 'number', cell: row => money(paid(row)) },
            { head: 'Receipt', cell: ReceiptLink },
          ]}
        />
      </Page>,
    ),
  )

  app.get('/receipts.csv', c => csvFile(c, 'receipts', FILE, [receiptsOf(c.var.account)]))

  app.get('/receipts/:sequence', async c => {
    const { account } = c.var
    const row = receiptsOf(account).find(({ sequence }) => String(sequence) === c.req.param('sequence'))
    if (row === undefined) return c.notFound()
    const url = await recharge.receiptUrl?.(row).catch((error: unknown) => {
      log.warn({ err: error, account: account.id }, 'stripe did not give a receipt')
      return null
    })
    if (url != null) return c.redirect(url, 303)
    return c.html(receiptPage(account, row, config.dashboard.seller))
  })
}

/** Returns true for a payment, but not for the money of a reversal that was undone: it has been paid before. */
export function isReceipt({ kind, reference }: StatementRow): boolean {
  return KINDS[kind] !== undefined && !reference.endsWith(':reinstated')
}

function paid({ micros, debtMicros }: StatementRow): number {
  return micros - debtMicros
}

function ReceiptLink({ sequence, timeMs }: StatementRow) {
  return <a href={`/receipts/${sequence}`}>Receipt of {utcMinute(timeMs).slice(0, 10)}</a>
}

function receiptPage(account: AccountView, row: StatementRow, seller: readonly string[]) {
  const { sequence, timeMs, kind, reference, note, debtMicros } = row
  return (
    <Document title={`Receipt ${sequence}`}>
      <main class="receipt">
        <header class="heading">
          <Brand />
          <address>
            {seller.map(line => (
              <span>{line}</span>
            ))}
          </address>
        </header>
        <h1>Receipt</h1>
        <Pairs
          class="pairs card"
          rows={[
            ['Number', `${account.id}-${sequence}`],
            ['Date', `${new Date(timeMs).toISOString().slice(0, 10)} (UTC)`],
            ['For', account.email],
            ['Item', 'Postal code queries, prepaid'],
            ['Type', KINDS[kind] ?? kind],
            // The only page with the provider's id: accountants match payments by it.
            ['Reference', reference.replace(/^stripe:/, '')],
            ['Note', noteText(note)],
            ['Of this, towards a debt', debtMicros === 0 ? '' : money(-debtMicros)],
            ['Total (USD)', <strong>{money(paid(row))}</strong>],
          ]}
        />
        <div class="actions screen-only">
          <button type="button" class="primary" data-print>
            Print or save as PDF
          </button>
          <span class="hint unscripted">
            Print this page, or save it as PDF, from the menu of your browser.
          </span>
          <a href="/receipts">All receipts</a>
        </div>
      </main>
    </Document>
  )
}
