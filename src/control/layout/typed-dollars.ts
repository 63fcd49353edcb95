/** Amounts as people type them. */
import { parseDollars } from '../../money.ts'

/**
 * Whole micro-dollars of `5`, `$5`, `5,000`, `2.50 USD`, or null. Commas separate thousands only: `5,00`, which is five in
 * half of Europe, is refused rather than read as five hundred.
 */
export function typedDollars(text: string): number | null {
  const amount = text.replace(/^(?:US)?\$\s*|^USD\s+/i, '').replace(/\s*(?:USD|US dollars|dollars|\$)$/i, '')
  if (!amount.includes(',')) return parseDollars(amount)
  return /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(amount) ? parseDollars(amount.replaceAll(',', '')) : null
}
