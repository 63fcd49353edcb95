/** Try it: sends a request, and shows request, response and time. */

import { address } from '../../platform/address.ts'
import { formText } from '../layout/forms.ts'
import { Page } from '../layout/page.tsx'
import { Copyable, Form, Section } from '../layout/parts.tsx'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { apiAddress } from './overview.tsx'
import { requestBody, send, TRY_ENDPOINTS, type TryAnswer, type TryField } from './try-request.ts'

export function addTryPages(app: PageApp, dashboard: Dashboard): void {
  app.get('/try', c => c.redirect('/try/lookup'))

  app.get('/try/:endpoint', c => {
    if (!Object.hasOwn(TRY_ENDPOINTS, c.req.param('endpoint'))) return c.notFound()
    return c.html(<TryPage c={c} dashboard={dashboard} endpoint={c.req.param('endpoint')} />)
  })

  app.post('/try/:endpoint', async c => {
    const endpoint = c.req.param('endpoint')
    const known = Object.hasOwn(TRY_ENDPOINTS, endpoint) ? TRY_ENDPOINTS[endpoint] : undefined
    if (known === undefined) return c.notFound()
    const values: Record<string, string> = {}
    for (const { name } of known.fields) values[name] = await formText(c, name)
    const apiKey = await formText(c, 'apiKey')
    const body = requestBody(endpoint, values)
    const { config, dataPlane } = dashboard
    // Past any proxy in front of the API: this is the same machine.
    const here = address(config.host, dataPlane.port)
    const answer = await send(here, endpoint, { ...body, apiKey }).catch(() => null)
    const problem = answer === null ? 'The API does not answer. Please try again.' : undefined
    return c.html(
      <TryPage
        c={c}
        {...{ dashboard, endpoint, values, apiKey, problem }}
        exchange={answer && { body, answer }}
      />,
    )
  })
}

interface TryProps {
  c: PageContext
  dashboard: Dashboard
  endpoint: string
  values?: Readonly<Record<string, string>>
  apiKey?: string
  exchange?: { body: Record<string, unknown>; answer: TryAnswer } | null
  problem?: string
}

function TryPage({ c, dashboard, endpoint, values, apiKey, exchange, problem }: TryProps) {
  const fields = TRY_ENDPOINTS[endpoint]?.fields ?? []
  const lead = (
    <>
      Sends a real request with one of your keys. It is charged like any other. Every field and error is in
      the <a href="/docs">API reference</a>.
    </>
  )
  return (
    <Page c={c} title="Try it" lead={lead} problem={problem} scripts={['copy.js']}>
      <nav class="switch" aria-label="Endpoint">
        {Object.entries(TRY_ENDPOINTS).map(([name, { title }]) => (
          <a href={`/try/${name}`} aria-current={name === endpoint ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <Section title={`POST /api/${endpoint}`}>
        <Form c={c} action={`/try/${endpoint}`} class="grid">
          {fields.map(field => (
            <Input field={field} value={values?.[field.name]} />
          ))}
          <label class="whole">
            API key
            <input
              name="apiKey"
              value={apiKey}
              required
              placeholder="pk_live_…"
              autocomplete="off"
              spellcheck={false}
              class="mono"
            />
          </label>
          <div class="actions">
            <button type="submit" class="primary">
              Send
            </button>
          </div>
        </Form>
      </Section>
      {exchange && <Exchange api={apiAddress(dashboard)} endpoint={endpoint} {...exchange} />}
    </Page>
  )
}

function Input({ field, value }: { field: TryField; value: string | undefined }) {
  const { name, label, example, required } = field
  if (name === 'records') {
    return (
      <label class="whole">
        {label}, one per line: country, then code
        <textarea name={name} rows={4} required class="mono">
          {value ?? example}
        </textarea>
      </label>
    )
  }
  return (
    <label>
      {label}
      <input name={name} value={value ?? example} required={required} autocomplete="off" />
    </label>
  )
}

/** Shown without the key, since pages end up in screenshots. */
function Exchange({
  api,
  endpoint,
  body,
  answer,
}: {
  api: string
  endpoint: string
  body: object
  answer: TryAnswer
}) {
  const request = JSON.stringify({ ...body, apiKey: '<your key>' }, null, 2)
  const curl = `curl ${api}/api/${endpoint} -H 'Content-Type: application/json' -d '${JSON.stringify({ ...body, apiKey: '<your key>' }).replaceAll("'", "'\\''")}'`
  return (
    <section class="card" aria-live="polite">
      <div class="heading">
        <h2>
          <span class={answer.status < 400 ? 'tag good' : 'tag bad'}>{answer.status}</span> in{' '}
          {answer.tookMs.toFixed(1)} ms
        </h2>
      </div>
      <div class="halves">
        <figure>
          <figcaption>Request</figcaption>
          <pre tabindex={0}>
            <code>{request}</code>
          </pre>
        </figure>
        <figure>
          <figcaption>Response</figcaption>
          <pre tabindex={0}>
            <code>{answer.body}</code>
          </pre>
        </figure>
      </div>
      <Copyable wide text={curl} label="Copy the command" />
    </section>
  )
}
