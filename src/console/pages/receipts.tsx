/** Receipts of payments: the receipt of Stripe if there is one, otherwise a page to print. */
import type { AccountView, StatementRow } from '../../billing/accounts/views.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Brand, Document } from '../layout/document.tsx'
import { List, pageOf, queryOf, Search } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Named, Pairs, Time } from '../layout/parts.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { amountMicros, entryText, noteText } from '../reports/statement.ts'
import { iso, money, sixDecimals, utcDay } from '../words.ts'

/** Typed by readers for their own receipt, and not stored. */
const BUYER = { company: { label: 'Company' }, tax: { label: 'Tax number' } }

const RECEIPT_TEXTS: Partial<Record<StatementRow['kind'], string>> = {
  payment: 'Payment',
  test: 'Test payment: no money moved',
}

const FILE: FileColumns<StatementRow> = {
  receipt: ({ sequence }) => sequence,
  time: ({ timeMs }) => iso(timeMs),
  kind: ({ kind }) => kind,
  amount_usd: row => sixDecimals(amountMicros(row)),
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
          found={pageOf(receiptsOf(c.var.account).toReversed(), queryOf(c, {}).page)}
          noun={['receipt']}
          file="/receipts.csv"
          empty={['Nothing has been paid yet. ', <a href="/balance#recharge">Recharge</a>]}
          columns={[
            { head: 'Date', cell: ({ timeMs }) => <Time ms={timeMs} /> },
            {
              head: 'What',
              cell: row => <Named name={RECEIPT_TEXTS[row.kind] ?? row.kind} under={entryText(row)} />,
            },
            { head: 'Amount', kind: 'number', cell: row => money(amountMicros(row)) },
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
    return c.html(receiptPage(c, row, config.dashboard.seller))
  })
}

/** True for a payment; false for money of an undone reversal, which has a receipt already. */
export function isReceipt({ kind, reference }: StatementRow): boolean {
  return RECEIPT_TEXTS[kind] !== undefined && !reference.endsWith(':reinstated')
}

function ReceiptLink({ sequence, timeMs }: StatementRow) {
  return <a href={`/receipts/${sequence}`}>Receipt of {utcDay(timeMs)}</a>
}

function receiptPage(c: PageContext, row: StatementRow, seller: readonly string[]) {
  const { account } = c.var
  const { company, tax } = queryOf(c, BUYER)
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
            ['Date', `${utcDay(timeMs)} (UTC)`],
            ['For', account.email],
            ['Company', company],
            ['Tax number', tax],
            ['Item', 'Postal code queries, prepaid'],
            ['Type', RECEIPT_TEXTS[kind] ?? kind],
            // Accountants match payments by the provider's id. No other page shows it.
            ['Reference', reference.replace(/^stripe:/, '')],
            ['Note', noteText(note)],
            ['Paid towards a debt', debtMicros === 0 ? '' : money(-debtMicros)],
            ['Total (USD)', <strong>{money(amountMicros(row))}</strong>],
          ]}
        />
        <div class="screen-only">
          <Search c={c} filters={BUYER} button="Put on the receipt" />
        </div>
        <div class="actions screen-only">
          <button type="button" class="primary" data-print>
            Print or save as PDF
          </button>
          <span class="hint unscripted">
            Print this page, or save it as PDF, with the menu of your browser.
          </span>
          <a href="/receipts">All receipts</a>
        </div>
      </main>
    </Document>
  )
}
