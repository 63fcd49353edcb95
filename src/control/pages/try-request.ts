/** The requests that the Try it page offers, and sending one. */
import { TRY_ANSWER_CHARACTERS_MAX } from '../limits.ts'

export interface TryField {
  name: string
  label: string
  example: string
  required?: true
}

const CODE_FIELDS: TryField[] = [
  { name: 'zipcode', label: 'Postal code', example: '90210', required: true },
  { name: 'country', label: 'Country', example: 'US' },
]

/** Fields of each endpoint; bulk takes its records line by line. */
export const TRY_ENDPOINTS: Record<string, { title: string; fields: TryField[] }> = {
  lookup: { title: 'Lookup', fields: CODE_FIELDS },
  metacode: { title: 'Metadata', fields: CODE_FIELDS },
  validate: { title: 'Validate', fields: CODE_FIELDS },
  city: {
    title: 'City',
    fields: [
      { name: 'city', label: 'City', example: 'Beverly Hills', required: true },
      { name: 'ST', label: 'State', example: 'CA' },
      { name: 'country', label: 'Country', example: 'US' },
    ],
  },
  'validate-bulk': {
    title: 'Bulk',
    fields: [
      { name: 'records', label: 'Records', example: 'US 90210\nDE 10115\nJP 100-0001', required: true },
    ],
  },
  aboutapi: { title: 'About', fields: [] },
}

export interface TryAnswer {
  status: number
  /** Indented JSON, or the text as it came. */
  body: string
  /** From sending the request to having read the answer, in milliseconds. */
  tookMs: number
}

/** The body that an endpoint gets; fields that are empty are left out. */
export function requestBody(
  endpoint: string,
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { fields } = TRY_ENDPOINTS[endpoint] ?? { fields: [] }
  const given = fields.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []))
  const body: Record<string, unknown> = Object.fromEntries(given)
  if (typeof body.records === 'string') body.records = bulkRecords(body.records)
  return body
}

/** `US 90210` on each line. */
function bulkRecords(text: string): { postalCode: string; countryCode: string }[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines
    .filter(line => line !== '')
    .map(line => {
      const [countryCode = '', ...code] = line.split(/\s+/)
      return { postalCode: code.join(' '), countryCode }
    })
}

/** Sends a request to this service's own API. The address is fixed; no form decides where a request goes. */
export async function send(api: string, endpoint: string, body: object): Promise<TryAnswer> {
  const startMs = performance.now()
  const response = await fetch(`${api}/api/${endpoint}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  const tookMs = performance.now() - startMs
  return { status: response.status, body: indented(text).slice(0, TRY_ANSWER_CHARACTERS_MAX), tookMs }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
