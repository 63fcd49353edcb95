/** Reads pages of the dashboard: the texts that a person sees. */

/** Returns the text of HTML. Cells, lines and paragraphs have a space between them. */
function textOf(html: string): string {
  const spaced = html.replace(/<\/?(?:t[dhr]|d[dt]|p|div|form|span class="(?:under|hint))\b[^>]*>/g, ' ')
  return spaced
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns the visible warnings, such as `caution: Your balance is below $1.00. [Recharge](/balance)`. */
export function warningsOf(page: string): string[] {
  const visible = page.matchAll(/<div class="(caution|problem) banner" role="status">(.*?)<\/div>/gs)
  return Array.from(visible, ([, kind, html]) => {
    return `${kind}: ${textOf(html.replace(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, '[$2]($1)'))}`
  })
}

/** Returns the rows of a table by its caption, with a `|` between cells. Grey ones begin with `past:`. */
export function rowsOf(page: string, caption: string): string[] {
  const [, table = ''] = page.split(`class="scroll" aria-label="${caption}"`)
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(table) ?? []
  return Array.from(body.matchAll(/<tr(?: class="([^"]*)")?>(.*?)<\/tr>/gs), ([, kind = '', row]) => {
    const cells = Array.from(row.matchAll(/<t[dh]\b[^>]*>(.*?)<\/t[dh]>/gs), ([, cell]) => textOf(cell))
    return (kind.includes('past') ? 'past: ' : '') + cells.join(' | ')
  })
}

/** Returns the text of a tile by its name; `''` if there is none. */
export function tileOf(page: string, name: string): string {
  const [, tile = ''] = page.split(`<div class="fact"><dt>${name}</dt>`)
  return textOf(tile.split('</div>', 1)[0])
}
