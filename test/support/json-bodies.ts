import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'

/** Number of bodies of a property. HOSTILE_ROUNDS multiplies it. */
export const BODIES = 5000 * Number(process.env.HOSTILE_ROUNDS ?? 1)

const space = fc.constantFrom('', '', '', '', ' ', '\n', '\t', '\r\n', '  ')

/** Strings with every kind of character that JSON treats differently. */
export const trickyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  fc.constantFrom(...'|90210|US|\ud800|\u0000|"\\/|é|日本|\u2028|\ufeff|\u007f|__proto__'.split('|')),
)

/** Writes a string as JSON, plainly or with `\u` escapes. */
export function jsonText(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: text.map(value => JSON.stringify(value)) },
    text.map(value => `"${value.replace(/[\s\S]/g, escapeUnit)}"`),
  )
}

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const numberText = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -100_000, max: 100_000 }).map(String) },
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.double().map(String),
  fc.constantFrom(...'0 -0 00 01 - 1. 1.50 9021e1 1e400 -1e400 1E5 +1 .5 0x10'.split(' ')),
)

export const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: jsonText(trickyText) },
  { weight: 4, arbitrary: numberText },
  fc.constantFrom('true', 'false', 'null', '[]', '{}', 'nul', 'undefined', 'NaN'),
  fc.jsonValue({ maxDepth: 3 }).map(value => JSON.stringify(value)),
)

/** Writes an object with these names and values, with duplicates and unusual spacing. */
export function objectText(
  names: fc.Arbitrary<string>,
  values: fc.Arbitrary<string>,
  maxLength = 6,
): fc.Arbitrary<string> {
  const member = fc
    .tuple(space, names, space, space, values, space)
    .map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`)
  return fc
    .tuple(space, fc.array(member, { maxLength }), space)
    .map(([a, members, b]) => `${a}{${members.join(',')}}${b}`)
}

/** Damages the bytes of most bodies in one or two places. */
export function damagedBody(body: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
  const damage = fc.record({
    kind: fc.constantFrom('none', 'flip', 'cut', 'insert', 'remove', 'repeat'),
    at: fc.nat(),
    byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[]:,-.0e \u0000')), fc.integer({ min: 0, max: 255 })),
  })
  return fc.tuple(body, fc.array(damage, { maxLength: 2 })).map(([text, damages]) => {
    let bytes = Buffer.from(text)
    for (const { kind, at, byte } of damages) bytes = damageOnce(bytes, kind, at % (bytes.length + 1), byte)
    return Uint8Array.from(bytes)
  })
}

function damageOnce(bytes: Buffer, kind: string, at: number, byte: number): Buffer<ArrayBuffer> {
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at)
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, after.map((old, i) => (i === 0 ? old ^ (1 << (byte & 7)) : old))])
    case 'cut':
      return Buffer.concat([before])
    case 'insert':
      return Buffer.concat([before, Buffer.of(byte), after])
    case 'remove':
      return Buffer.concat([before, after.subarray(1)])
    case 'repeat':
      return Buffer.concat([bytes, after])
    default:
      return Buffer.concat([bytes])
  }
}

/** Parses valid UTF-8 as JSON. Returns undefined unless the value is an object. */
export function parseObject(body: Uint8Array): Record<string, unknown> | undefined {
  if (!isUtf8(body)) return undefined
  try {
    // The decoder skips a byte order mark.
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
