import * as z from 'zod'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { Brand, Document } from '../layout/document.tsx'
import { addForm, Fold } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Pairs } from '../layout/parts.tsx'
import { optionalText } from '../operator/params.ts'
import type { Recharge } from '../payments/recharge.tsx'
import { amountMicros, isPayment, reversalsOf } from '../reports/refundable.ts'
import { noteText } from '../reports/statement.ts'
import { FailedPayments, Statement, statementFile } from '../sections/statement.tsx'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import type { KeyedStore } from '../store/keyed-store.ts'
import { sumOf } from '../sums.ts'
import { money, utcDay } from '../words.ts'

/** Maximum characters of a company's name and of a tax number. */
const BUYER_LENGTH_MAX = 200

const FIELDS = {
  company: optionalText({ label: 'Company', lengthMax: BUYER_LENGTH_MAX }),
  tax: optionalText({ label: 'Tax number', lengthMax: BUYER_LENGTH_MAX }),
  address: optionalText({ label: 'Postal address', lengthMax: BUYER_LENGTH_MAX }),
}

/** Buyer on the receipts of an account, and the time of its last change. */
export const BUYER = z.object({ ...FIELDS, setMs: z.number() })
export type Buyers = KeyedStore<z.infer<typeof BUYER>>

export function addReceiptPages(app: PageApp, dashboard: Dashboard, recharge: Recharge, buyers: Buyers) {
  const { accounts, audit, log, config } = dashboard

  addForm(app, '/receipts/buyer', '/receipts', FIELDS, async ({ var: { account } }, buyer) => {
    const { setMs: _, ...before } = buyers.get(account.id) ?? {}
    await buyers.set(account.id, { ...buyer, setMs: Date.now() })
    audit.record({ what: 'buyer', account: account.id, details: { ...buyer, before } })
    return `Receipts name ${Object.values(buyer).filter(Boolean).join(', ') || 'no buyer'}, earlier ones too.`
  })

  app.get('/receipts', c => {
    const { id } = c.var.account
    const rows = accounts.statement(id)
    return c.html(
      <Page
        title="Statement"
        lead="Payments with receipts, credits, refunds, and usage at the end of its day. Amounts of ten cents or more are in cents; the CSV has exact ones."
      >
        <section class="card" aria-label="On your receipts">
          <Fold
            title="On your receipts"
            now={buyers.get(id)?.company || 'no company'}
            hint="For payments without an invoice of Stripe."
            action="/receipts/buyer"
            fields={FIELDS}
            values={buyers.get(id)}
            button="Save"
          />
        </section>
        <Statement
          rows={rows}
          keys={c.var.keys()}
          file="/statement.csv"
          link={row => {
            const paid = paymentOf(row, rows)
            const text = paid === row ? 'Receipt' : `of the payment of ${utcDay(paid?.timeMs ?? 0)}`
            return paid && <a href={`/receipts/${paid.sequence}`}>{text}</a>
          }}
        />
        <FailedPayments audit={audit} id={id} />
      </Page>,
    )
  })

  app.get('/statement.csv', c => statementFile(c, accounts.statement(c.var.account.id)))

  app.get('/receipts/:sequence', async c => {
    const { account } = c.var
    const rows = accounts.statement(account.id)
    const row = rows.find(row => isPayment(row) && String(row.sequence) === c.req.param('sequence'))
    if (row === undefined) return c.notFound()
    const url = await recharge.receiptUrl?.(row).catch((error: unknown) => {
      log.warn({ err: error, account: account.id }, 'stripe did not give a receipt')
      return null
    })
    if (url != null) return c.redirect(url, 303)
    return c.html(receiptPage(account, buyers.get(account.id), row, reversalsOf(rows, row), config.dashboard))
  })
}

/** Returns the payment that a row is or takes back. */
const paymentOf = (row: StatementRow, rows: readonly StatementRow[]) =>
  rows.find(each => isPayment(each) && (each === row || reversalsOf([row], each).length > 0))

function receiptPage(
  account: AccountView,
  buyer: z.infer<typeof BUYER> | undefined,
  row: StatementRow,
  refunds: readonly StatementRow[],
  { seller, stripe }: Dashboard['config']['dashboard'],
) {
  const { sequence, timeMs, kind, reference, note, debtChangeMicros: debtMicros } = row
  const refundedMicros = -sumOf(refunds.map(amountMicros))
  const days = new Set(refunds.flatMap(({ micros, timeMs }) => (micros < 0 ? [utcDay(timeMs)] : [])))
  return (
    <Document title={`Receipt ${sequence}`}>
      <main class="receipt">
        <header class="heading">
          <Brand />
          <address>
            {seller.length > 0 && <span class="muted">From</span>}
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
            ['Company', buyer?.company],
            ['Tax number', buyer?.tax],
            ['Postal address', buyer?.address],
            ['Buyer’s details of', buyer && `${utcDay(buyer.setMs)} (UTC)`],
            ['Item', 'Postal code queries, prepaid'],
            ['Type', kind === 'test' ? 'Test payment: no money moved' : 'Payment'],
            // Accountants match payments by the provider's id. No other page shows it.
            ['Reference', reference.replace(/^stripe:/, '')],
            ['Note', noteText(note)],
            ['Tax', stripe?.tax === true ? '' : 'none'],
            ['Paid towards a debt', debtMicros === 0 ? '' : money(-debtMicros)],
            ['Total (USD)', <strong>{money(amountMicros(row))}</strong>],
            ['Refunded', refundedMicros > 0 ? `${money(refundedMicros)} on ${[...days].join(', ')}` : ''],
          ]}
        />
        <div class="actions screen-only">
          <button type="button" class="primary" data-print>
            Print or save as PDF
          </button>
          <p class="hint unscripted">Print this page, or save it as PDF, with the menu of your browser.</p>
          <a href="/receipts">All receipts</a>
        </div>
      </main>
    </Document>
  )
}
