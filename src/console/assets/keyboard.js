// `/` goes to the search of a list. Ctrl+K or ⌘K opens the palette of pages, whose last row searches a list.
const search = document.querySelector('input[type=search]')
const palette = document.querySelector('dialog')
const wanted = palette?.querySelector('input')
/** Search of a list; null if the reader may not open one. */
const form = palette?.querySelector('form')

addEventListener('keydown', event => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  const isPlain = !ctrlKey && !metaKey && !altKey && !target.matches?.('input, select, textarea')
  if (palette && key === 'k' && (ctrlKey || metaKey)) openPalette()
  else if (search && key === '/' && isPlain) search.focus()
  else return
  event.preventDefault()
})

function openPalette() {
  wanted.value = ''
  filter()
  palette.showModal()
}

const items = () => [...palette.querySelectorAll('li:not([hidden]) :is(a, button)')]
/** The highlighted row, which Enter opens. */
const chosen = () => palette.querySelector('li:not([hidden]) [aria-current]')

function choose(row) {
  palette.querySelector('[aria-current]')?.removeAttribute('aria-current')
  row?.setAttribute('aria-current', 'true')
  row?.scrollIntoView({ block: 'nearest' })
}

function filter() {
  const text = wanted.value.trim()
  for (const link of palette.querySelectorAll('a'))
    link.parentElement.hidden = !link.textContent.toLowerCase().includes(text.toLowerCase())
  if (form) {
    // Sent by POST, like the search of the list: somebody may paste a whole key.
    form.elements.q.value = text
    form.querySelector('strong').textContent = text
    form.parentElement.hidden = text === ''
  }
  choose(items()[0])
}

wanted?.addEventListener('input', filter)
document.querySelector('[data-palette]')?.addEventListener('click', openPalette)

palette?.addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0
  const rows = items()
  if (step !== 0) choose(rows.at(Math.max(rows.indexOf(chosen()) + step, -1) % rows.length))
  else if (event.key === 'Enter' && event.target === wanted) chosen()?.click()
  else return
  event.preventDefault()
})
