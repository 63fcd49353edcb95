/**
 * Shapes of requests and answers, each written once: the value is a JSON Schema for the document, and `Value` is the type that the
 * code is checked against.
 */

export type JsonSchema = Readonly<Record<string, unknown>>

/** @typeParam T what a value of this shape is in TypeScript */
export interface Schema<T> {
  readonly json: JsonSchema
  /** Where the document keeps it, for shapes that occur more than once. */
  readonly name?: string
  /** Fields of an object. */
  readonly fields?: Fields
  /** The shape of each item of a list, or of each alternative. */
  readonly parts?: readonly Schema<unknown>[]
  readonly isOptional?: boolean
  /** Never set; carries the type. */
  readonly value?: T
}

export type Fields = Readonly<Record<string, Schema<unknown>>>

/** The type of a shape. */
export type Value<S> = S extends Schema<infer T> ? T : never

interface Optional<T> extends Schema<T> {
  readonly isOptional: true
}

type OptionalNames<F> = { [N in keyof F]: F[N] extends { isOptional: true } ? N : never }[keyof F]
type ObjectValue<F> = { [N in Exclude<keyof F, OptionalNames<F>>]: Value<F[N]> } & {
  [N in OptionalNames<F>]?: Value<F[N]>
}

/** @param more further keywords: `pattern`, `maxLength`, `examples` */
export function text(description: string, more: JsonSchema = {}): Schema<string> {
  return { json: { type: 'string', description, ...more } }
}

export function number(description: string, more: JsonSchema = {}): Schema<number> {
  return { json: { type: 'number', description, ...more } }
}

export function integer(description: string, more: JsonSchema = {}): Schema<number> {
  return { json: { type: 'integer', description, ...more } }
}

export function flag(description: string): Schema<boolean> {
  return { json: { type: 'boolean', description } }
}

/** One of a few texts. */
export function oneOfTexts<const T extends string>(description: string, texts: readonly T[]): Schema<T> {
  return { json: { type: 'string', enum: texts, description } }
}

/** `schema`, or null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type } = schema.json
  if (typeof type === 'string' && schema.name === undefined && schema.fields === undefined) {
    const listed = schema.json.enum === undefined ? {} : { enum: [...(schema.json.enum as unknown[]), null] }
    return { json: { ...schema.json, ...listed, type: [type, 'null'] } }
  }
  return { json: {}, parts: [schema, { json: { type: 'null' } }] }
}

/** Either of two shapes. */
export function either<A, B>(description: string, one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return { json: { description }, parts: [one, other] }
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { ...schema, isOptional: true }
}

/** @param more `minItems`, `maxItems` */
export function list<T>(description: string, item: Schema<T>, more: JsonSchema = {}): Schema<T[]> {
  return { json: { type: 'array', description, ...more }, parts: [item] }
}

/** An object; every field is there unless it is `optional`. */
export function object<F extends Fields>(
  description: string,
  fields: F,
): Schema<ObjectValue<F>> & { fields: F } {
  return { json: { type: 'object', description }, fields }
}

/** Gives a shape its own place in the document. */
export function named<S extends Schema<unknown>>(name: string, schema: S): S {
  return { ...schema, name }
}

/**
 * The JSON Schema of `schema`.
 * @param components gets the shapes that have a name; the result refers to them
 */
export function jsonSchema(schema: Schema<unknown>, components: Map<string, JsonSchema>): JsonSchema {
  const { name } = schema
  if (name === undefined) return inlined(schema, components)
  if (!components.has(name)) {
    // Set before it is made, so that the document keeps the order in which shapes are first used.
    components.set(name, {})
    components.set(name, inlined(schema, components))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function inlined({ json, fields, parts }: Schema<unknown>, components: Map<string, JsonSchema>): JsonSchema {
  if (fields !== undefined) {
    const all = Object.entries(fields)
    return {
      ...json,
      properties: Object.fromEntries(all.map(([name, field]) => [name, jsonSchema(field, components)])),
      required: all.filter(([, field]) => field.isOptional !== true).map(([name]) => name),
    }
  }
  if (parts === undefined) return json
  const made = parts.map(part => jsonSchema(part, components))
  return json.type === 'array' ? { ...json, items: made[0] } : { ...json, anyOf: made }
}
