// `/` goes to the search of a list. Ctrl+K or ⌘K opens the palette of pages and of what the lists find.
const SEARCH_AFTER_MS = 150
const FOUND_MAX = 5

const search = document.querySelector('input[type=search]')
const palette = document.querySelector('dialog')
const wanted = palette?.querySelector('input')
let waiting
/** The text that Enter was pressed for before its answer came. */
let entered

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

const items = () => [...palette.querySelectorAll('li:not([hidden]) a')]
/** The highlighted row, which Enter opens. */
const chosen = () => palette.querySelector('li:not([hidden]) [aria-current]')

function choose(link) {
  palette.querySelector('[aria-current]')?.removeAttribute('aria-current')
  link?.setAttribute('aria-current', 'true')
  link?.scrollIntoView({ block: 'nearest' })
}

function filter() {
  const text = wanted.value.trim().toLowerCase()
  for (const found of palette.querySelectorAll('.found')) found.remove()
  for (const item of palette.querySelectorAll('li'))
    item.hidden = !item.textContent.toLowerCase().includes(text)
  palette.querySelector('output').textContent = ''
  choose(items()[0])
  clearTimeout(waiting)
  entered = undefined
  if (text !== '') waiting = setTimeout(find, SEARCH_AFTER_MS, wanted.value)
}

/** Adds a row. What is below its name belongs to its link. */
function add(link, ...below) {
  link.append(...below.flatMap(node => [' ', node]))
  const item = document.createElement('li')
  item.className = 'found'
  item.append(link)
  palette.querySelector('ul').append(item)
}

/** Adds the first rows of each list. By POST, like its own form: somebody may type a whole key. */
async function find(q) {
  const csrf = document.querySelector('[name=csrf]').value
  for (const list of palette.dataset.lists.match(/\S+/g) ?? []) {
    const response = await fetch(`${list}/search`, { method: 'POST', body: new URLSearchParams({ csrf, q }) })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    if (q !== wanted.value) return
    // Below an account, the keys that were found; beside it, states that are not good.
    const nodesOf = row => [...row.querySelectorAll('th > *, td .tag:not(.good)')]
    const rows = Array.from(page.querySelectorAll('tbody tr:has(th a)'), nodesOf)
    const { matches = 0 } = page.querySelector('[data-matches]')?.dataset ?? {}
    if (matches > Math.min(rows.length, FOUND_MAX)) {
      const all = document.createElement('a')
      all.href = response.url
      all.textContent = `All ${matches} in ${page.querySelector('h1').textContent}`
      rows.splice(FOUND_MAX, Infinity, [all])
    }
    for (const nodes of rows) add(...nodes)
    for (const log of page.querySelectorAll('.empty a[href*="/log?"]')) add(log)
    // Enter opens the first row as soon as it is shown, not only after the last list.
    if (chosen() === null) choose(items()[0])
    if (palette.open && entered === q) chosen()?.click()
  }
  if (chosen() === null) palette.querySelector('output').textContent = 'Nothing is found.'
}

wanted?.addEventListener('input', filter)
document.querySelector('[data-palette]')?.addEventListener('click', openPalette)

palette?.addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0
  const links = items()
  if (step !== 0) choose(links.at(Math.max(links.indexOf(chosen()) + step, -1) % links.length))
  else if (event.key === 'Enter' && event.target === wanted) {
    if (chosen() === null) entered = wanted.value
    chosen()?.click()
  } else return
  event.preventDefault()
})
