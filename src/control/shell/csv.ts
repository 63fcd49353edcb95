/** Comma-separated values as RFC 4180 has them. */

/** Lines end with CRLF; the first one names the columns. */
export function csv(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map(row => `${row.map(field).join(',')}\r\n`).join('')
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front: labels and references come from
 * customers, statements are opened by accountants. A plain number, negative or not, stays what it is.
 */
function field(value: string | number | null): string {
  const text = String(value ?? '')
  if (/^-?\d+(\.\d+)?$/.test(text)) return text
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
