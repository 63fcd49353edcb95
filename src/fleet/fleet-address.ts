/** The setting ACCOUNTS: a database, and the schema in it, which PostgreSQL itself does not know as part of an address. */

export interface FleetAddress {
  /** Of the database alone. */
  address: string
  schema: string | undefined
}

export function fleetAddress(url: string): FleetAddress {
  const address = new URL(url)
  const schema = address.searchParams.get('schema') ?? undefined
  address.searchParams.delete('schema')
  return { address: address.href, schema }
}

/** For messages and files: without password and user. */
export function shownAddress(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  const schema = searchParams.get('schema')
  return `postgres://${host}${pathname}${schema === null ? '' : `?schema=${schema}`}`
}
