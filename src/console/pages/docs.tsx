import type { Child } from 'hono/jsx'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { clientUrl } from '../../platform/server-address.ts'
import { ENDINGS, exampleAnswer } from '../../service/endpoints/endings.ts'
import type { Endpoint } from '../../service/endpoints/endpoint.ts'
import type { Schema } from '../../service/endpoints/schema.ts'
import { ENDPOINT_LIST, pathsOf } from '../../service/endpoints/table.ts'
import { COUNTED_ERRORS, ERRORS } from '../../service/errors.ts'
import { openApiDocument } from '../../service/openapi/document.ts'
import { errorsOf } from '../../service/openapi/error-answers.ts'
import { FieldsForm } from '../layout/form.tsx'
import { Page } from '../layout/page.tsx'
import { Code, Copyable, type Pair, Pairs, Section, Table } from '../layout/parts.tsx'
import { optionalText, type ParamSyntax, text } from '../operator/params.ts'
import { apiAddress, curlOf } from '../sections/fresh-key.tsx'
import { BUILDERS, setPerson } from '../session/access.ts'
import { readForm } from '../session/forms.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import type { Tried } from '../session/sessions.ts'
import { member, money } from '../words.ts'

const ANSWER_CHARACTERS_MAX = 8000
const ANSWER_MS_MAX = 10_000
const KEY = '<API_KEY>'
const API_KEY = text({
  label: 'API key',
  hint: 'Stays in this tab and is not stored.',
  empty: 'pk_live_…',
  isSecret: true,
})

/** Requests by language. `/docs?in=Python` chooses one for all endpoints. */
const LANGUAGES = {
  curl: (api: string, endpoint: Endpoint) => curlOf(api, endpoint, KEY),
  JavaScript: javaScript,
  Python: python,
}

export function addDocs(app: PageApp, dashboard: Dashboard): void {
  let document: string | undefined
  app.get('/openapi.json', c => {
    document ??= JSON.stringify(openApiDocument(apiAddress(dashboard)))
    return c.body(document, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' })
  })

  app.get('/docs', c => {
    const api = apiAddress(dashboard)
    const isSignedIn = setPerson(c, dashboard)
    const language = member(LANGUAGES, c.req.query('in')) ?? 'curl'
    const { search } = new URL(c.req.url)
    const asked = { endpoint: c.req.query('try'), typed: search, status: 0, answer: '' }
    const tried = (isSignedIn && c.req.method === 'GET' && c.var.session.take('tried')) || asked
    return c.html(
      <Page
        title="API reference"
        lead={
          <>
            Every operation is a <code>POST</code> with a JSON object that has <code>apiKey</code>. Only
            answers are charged. Errors are free. OpenAPI document: <a href="/openapi.json">openapi.json</a>
          </>
        }
      >
        <div class="guide">
          <Contents />
          <div class="stack">
            <Section title="Requests">
              <Pairs rows={[['Address', <code>{api}</code>], ...BASICS]} />
            </Section>
            <Section title="Errors and what to do" id="errors">
              <Table
                caption="Errors and what to do"
                rows={COUNTED_ERRORS}
                columns={[
                  { head: 'Status', kind: 'name', cell: ({ status }) => status },
                  { head: 'Meaning', kind: 'detail', cell: ({ text }) => withCode(text) },
                  { head: 'What to do', kind: 'detail', cell: ({ remedy = '' }) => withCode(remedy) },
                ]}
              />
            </Section>
            {ENDPOINT_LIST.map(endpoint => (
              <section class="card" id={endpoint.name} aria-labelledby={`${endpoint.name}-title`}>
                <Description {...{ api, endpoint, language }} />
                {isSignedIn ? (
                  <Try endpoint={endpoint} tried={tried.endpoint === endpoint.name ? tried : undefined} />
                ) : (
                  <p>
                    <a href={`/sign-in?next=${encodeURIComponent(`/docs${search}#${endpoint.name}`)}`}>
                      Sign in
                    </a>{' '}
                    to send requests from this page.
                  </p>
                )}
              </section>
            ))}
          </div>
        </div>
      </Page>,
    )
  })
}

/** Adds the forms of the page. Only people who have signed in may make this service send requests. */
export function addTrying(app: PageApp, { accounts, config, dataPlane, proxies }: Dashboard): void {
  app.get('/docs/try/:endpoint', c => c.redirect(`/docs#${c.req.param('endpoint')}`, 303))

  app.post('/docs/try/:endpoint', async c => {
    const endpoint = ENDPOINT_LIST.find(({ name }) => name === c.req.param('endpoint'))
    if (endpoint === undefined) return c.notFound()
    const typed = await readForm(c)
    const apiKey = typed.get('apiKey')?.trim() ?? ''
    const body = { ...bodyOf(endpoint, typed), apiKey }
    // Directly, without a proxy in front of the API.
    const url = `${clientUrl(config.host, dataPlane.port)}/api/${endpoint.name}`
    // As a proxy does: rules of keys concern the reader's address, where this machine is a trusted proxy.
    const via = [c.req.header(proxies.header), c.env.incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const answer = isOwnKey(c, accounts, apiKey) ? await send(url, body, { [proxies.header]: via }) : NOT_SENT
    typed.delete('csrf')
    typed.delete('apiKey')
    c.var.session.keep({ tried: { endpoint: endpoint.name, typed: typed.toString(), ...answer } })
    return c.redirect(`/docs#answer-${endpoint.name}`, 303)
  })
}

type Answer = Pick<Tried, 'status' | 'answer'>

/** One answer for every other key, so that the page does not reveal which secrets work. */
const NOT_SENT: Answer = {
  status: 0,
  answer: 'Not sent. Paste an active key of your account: it begins with pk_live_.',
}

/** True for a key whose rules this person may change. Sent from here, any key gets past its addresses. */
function isOwnKey(c: PageContext, accounts: Accounts, secret: string): boolean {
  const bytes = Buffer.from(secret)
  const key = accounts.charging.findKey(bytes, 0, bytes.length)
  const owner = typeof key === 'string' ? undefined : accounts.viewOf(key).account
  return c.var.memberships.some(({ account, role }) => account.id === owner && BUILDERS.includes(role))
}

/** Sends a request to this service's own API. No form may choose the address. */
async function send(url: string, body: object, headers: object): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const answer = await response.json()
    const text = JSON.stringify(answer, null, 2).slice(0, ANSWER_CHARACTERS_MAX)
    return { status: response.status, answer: text }
  } catch {
    return { status: 503, answer: 'The API does not answer. Try again.' }
  }
}

/** Returns the typed body. Malformed numbers and lists are sent as text, for the API to refuse. */
function bodyOf({ fields }: Endpoint, typed: URLSearchParams): Record<string, unknown> {
  const given = Object.entries(fields).flatMap(([name, { schema }]) => {
    const text = typed.get(name)?.trim() ?? ''
    if (text === '') return []
    const isText = schema.json.type === 'string' || schema.json.type === undefined
    try {
      return [[name, isText ? text : JSON.parse(text)] as const]
    } catch {
      return [[name, text] as const]
    }
  })
  return Object.fromEntries(given)
}

function Contents() {
  const groups = [...new Set(ENDPOINT_LIST.map(({ group }) => group))]
  const links = (wanted: string) => (
    <span class="actions">
      {ENDPOINT_LIST.filter(({ group }) => group === wanted).map(({ name }) => (
        <a href={`#${name}`}>{name}</a>
      ))}
    </span>
  )
  return (
    <nav aria-label="Endpoints">
      <details>
        <summary>Endpoints</summary>
        <Pairs rows={groups.map(group => [group, links(group)])} />
      </details>
    </nav>
  )
}

const BASICS: readonly Pair[] = [
  ['Key', withCode('In the body as `apiKey`, or in the header `Authorization: Bearer …` or `X-API-Key`.')],
  ['Price', `${money(QUERY_PRICE_MICROS)} a query`],
  [
    'Errors',
    withCode(
      'A JSON object with `error`. 429 has `retryAfter`, the seconds to wait, also as the header `Retry-After`.',
    ),
  ],
  ['Fields', withCode('`null` and `""` count as absent. Unknown fields are ignored.')],
]

type DescriptionProps = { api: string; endpoint: Endpoint; language: keyof typeof LANGUAGES }

function Description({ api, endpoint, language }: DescriptionProps) {
  const { name, summary, description, fields, answer, ending, usageClass, isBulk } = endpoint
  const price = usageClass === null ? 'free' : isBulk ? '1 query a record' : '1 query'
  const members = Object.entries<Schema<unknown>>({ ...answer, ...ENDINGS[ending] })
  const errors = errorsOf(endpoint)
    .map(code => ERRORS[code])
    .sort((a, b) => a.status - b.status)
  const paths = pathsOf(endpoint).map(path => `\`POST ${path}\``)
  return (
    <>
      <div class="heading">
        <h2 id={`${name}-title`}>{summary}</h2>
        <span class={usageClass === null ? 'tag good' : 'tag'}>{price}</span>
      </div>
      <p>{withCode(paths.join(' or '))}</p>
      <p class="muted">{withCode(description)}</p>
      {Object.keys(fields).length > 0 && (
        <FieldTable
          caption={`Fields of ${name}`}
          rows={Object.entries(fields).map(([field, { schema, isRequired }]) => [field, schema, isRequired])}
        />
      )}
      <h3>Request</h3>
      <nav class="tabs" aria-label={`Language of ${name}`}>
        {Object.keys(LANGUAGES).map(each => (
          <a href={`/docs?in=${each}#${name}`} aria-current={each === language ? 'true' : undefined}>
            {each}
          </a>
        ))}
      </nav>
      <Copyable text={LANGUAGES[language](api, endpoint)} label="Copy the example" />
      <h3>Answer</h3>
      <Code text={JSON.stringify(exampleAnswer(endpoint), null, 2)} />
      <details>
        <summary>Fields of the answer</summary>
        <FieldTable
          caption={`Answer of ${name}`}
          rows={members.map(([field, schema]) => [field, schema, false])}
        />
      </details>
      <details>
        <summary>Errors</summary>
        <Pairs rows={errors.map(({ status, text }) => [status, <code>{text}</code>])} />
      </details>
    </>
  )
}

type FieldRow = [field: string, schema: Schema<unknown>, isRequired: boolean]

function FieldTable({ caption, rows }: { caption: string; rows: FieldRow[] }) {
  const named = ([field, , isRequired]: FieldRow) => [
    <code>{field}</code>,
    isRequired && <span class="under small">required</span>,
  ]
  return (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        { head: 'Field', kind: 'name', cell: named },
        { head: 'Type', cell: ([, schema]) => typeOf(schema) },
        { head: 'Meaning', kind: 'detail', cell: ([, schema]) => withCode(meaningOf(schema)) },
      ]}
    />
  )
}

type TryProps = { endpoint: Endpoint; tried: Omit<Tried, 'endpoint'> | undefined }

/** A form for a real request. The key is neither stored nor shown again. */
function Try({ endpoint: { name, fields, usageClass, example }, tried }: TryProps) {
  const given = Object.entries(example.body).map(([field, sample]) => [field, textOf(sample)])
  return (
    <details open={tried !== undefined} data-try>
      <summary>Try it</summary>
      <FieldsForm
        action={`/docs/try/${name}`}
        class="grid"
        fields={{ ...Object.fromEntries(Object.entries(fields).map(fieldOf)), apiKey: API_KEY }}
        values={{ ...Object.fromEntries(given), ...Object.fromEntries(new URLSearchParams(tried?.typed)) }}
        button="Send"
        kind="primary"
      >
        {usageClass !== null && <span class="hint">The answer is charged.</span>}
      </FieldsForm>
      <div id={`answer-${name}`} role="status" class="stack">
        {tried?.answer && (
          <>
            {tried.status > 0 && (
              <p>
                <span class={tried.status < 400 ? 'tag good' : 'tag bad'}>{tried.status}</span>
              </p>
            )}
            <Code text={tried.answer} />
          </>
        )}
      </div>
    </details>
  )
}

function fieldOf([label, { schema, isRequired }]: [string, Endpoint['fields'][string]]) {
  const syntax: ParamSyntax = { label, ...(schema.json.type === 'array' && { isLong: true }) }
  return [label, isRequired ? text(syntax) : optionalText(syntax)]
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function javaScript(api: string, { name, example }: Endpoint): string {
  return `const response = await fetch('${api}/api/${name}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(${JSON.stringify({ ...example.body, apiKey: KEY }, null, 2).replaceAll('\n', '\n  ')}),
})
console.log(response.status, await response.json())`
}

function python(api: string, { name, example }: Endpoint): string {
  return `import json, urllib.request

body = ${JSON.stringify({ ...example.body, apiKey: KEY }, null, 4)}
request = urllib.request.Request(
    '${api}/api/${name}',
    json.dumps(body).encode(),
    {'Content-Type': 'application/json'},
)
print(json.load(urllib.request.urlopen(request)))`
}

function typeOf({ json, alternatives = [], members }: Schema<unknown>): string {
  const { type, minimum, maximum, minItems, maxItems } = json
  if (members !== undefined) return 'object'
  const types = [type ?? alternatives.map(typeOf)].flat()
  const name = [...new Set(types)].map(each => (each === 'array' ? 'list' : String(each))).join(' or ')
  const from = minimum ?? minItems
  const to = maximum ?? maxItems
  if (from === undefined && to === undefined) return name
  if (to === undefined) return `${name}, at least ${from}`
  return from === undefined ? `${name}, at most ${to}` : `${name}, ${from} to ${to}`
}

function meaningOf({ json, items: item, alternatives }: Schema<unknown>): string {
  const { description = '', default: usual } = json
  const values = Array.isArray(json.enum) ? `One of ${json.enum.map(each => `\`${each}\``).join(', ')}.` : ''
  const part = item ?? alternatives?.[0]
  const items = part?.members === undefined ? '' : `Each has \`${Object.keys(part.members).join('`, `')}\`.`
  return [description, values, items, usual === undefined ? '' : `Default: \`${usual}\`.`]
    .filter(text => text !== '')
    .join(' ')
}

function withCode(text: string): Child {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))
}
