/** Shapes of fields and answers: a JSON Schema for the OpenAPI document, and its type. */

export type JsonSchema = Readonly<Record<string, unknown>>

/** @typeParam T type of a value; it includes undefined for an optional shape */
export interface Schema<T> {
  readonly json: JsonSchema
  /** Name in the OpenAPI document, for repeated shapes. */
  readonly name?: string
  readonly members?: Members
  /** Shape of a list's items. */
  readonly items?: Schema<unknown>
  readonly alternatives?: readonly Schema<unknown>[]
  readonly isOptional?: boolean
  /** Never set; carries the type. */
  readonly value?: T
}

export type Members = Readonly<Record<string, Schema<unknown>>>

export type Value<S> = S extends { readonly isOptional: true; readonly value?: infer T }
  ? T | undefined
  : S extends Schema<infer T>
    ? T
    : never

export type ObjectOf<M> = {
  [N in keyof M as undefined extends Value<M[N]> ? never : N]: Value<M[N]>
} & { [N in keyof M as undefined extends Value<M[N]> ? N : never]?: Value<M[N]> }

export interface Optional<T> extends Schema<T> {
  readonly isOptional: true
}

export const text = plain<string>('string')
export const number = plain<number>('number')
export const integer = plain<number>('integer')
export const flag = plain<boolean>('boolean')

/** Returns a function that describes values of a type. Its `more` are further keywords: `pattern`, `examples`. */
function plain<T>(type: string) {
  return (description: string, more: JsonSchema = {}): Schema<T> => ({ json: { type, description, ...more } })
}

export function oneOfTexts<const T extends string>(description: string, texts: readonly T[]): Schema<T> {
  return { json: { type: 'string', enum: texts, description } }
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type } = schema.json
  if (typeof type !== 'string' || schema.name !== undefined || schema.members !== undefined)
    return { json: {}, alternatives: [schema, { json: { type: 'null' } }] }
  const listed = schema.json.enum === undefined ? {} : { enum: [...(schema.json.enum as unknown[]), null] }
  return { json: { ...schema.json, ...listed, type: [type, 'null'] } }
}

export function either<A, B>(description: string, one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return { json: { description }, alternatives: [one, other] }
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { ...schema, isOptional: true }
}

export function list<T>(description: string, item: Schema<T>, more: JsonSchema = {}): Schema<T[]> {
  return { json: { type: 'array', description, ...more }, items: item }
}

type ObjectSchema<M> = Schema<ObjectOf<M>> & { members: M }

/** Returns the shape of an object. Members are required unless `optional`. */
export function object<M extends Members>(description: string, members: M): ObjectSchema<M> {
  return { json: { type: 'object', description }, members }
}

/** Returns the shape of an object that the OpenAPI document names. */
export function named<M extends Members>(name: string, description: string, members: M): ObjectSchema<M> {
  return { ...object(description, members), name }
}

/** Returns a JSON Schema. With `components`, named shapes are added to them and referred to. */
export function jsonSchema(schema: Schema<unknown>, components?: Map<string, JsonSchema>): JsonSchema {
  const { name } = schema
  if (name === undefined || components === undefined) return inlined(schema, components)
  if (!components.has(name)) {
    // Reserves its place, so that shapes are in the order of their first use.
    components.set(name, {})
    components.set(name, inlined(schema, components))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function inlined(
  { json, members, items, alternatives }: Schema<unknown>,
  components?: Map<string, JsonSchema>,
): JsonSchema {
  if (members !== undefined) {
    const all = Object.entries(members)
    return {
      ...json,
      properties: Object.fromEntries(all.map(([name, member]) => [name, jsonSchema(member, components)])),
      required: all.filter(([, member]) => member.isOptional !== true).map(([name]) => name),
    }
  }
  if (items !== undefined) return { ...json, items: jsonSchema(items, components) }
  if (alternatives === undefined) return json
  return { ...json, anyOf: alternatives.map(each => jsonSchema(each, components)) }
}
