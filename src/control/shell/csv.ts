/** Comma-separated values as RFC 4180 defines them. */

/** Lines end with CRLF; the first one names the columns. */
export function csv(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map(row => `${row.map(field).join(',')}\r\n`).join('')
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front: customers write labels and references, and
 * accountants open statements. A plain number, negative or not, is not changed.
 */
function field(value: string | number | null): string {
  const text = String(value ?? '')
  if (/^-?\d+(\.\d+)?$/.test(text)) return text
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
