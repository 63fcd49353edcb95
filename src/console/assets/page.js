// Scripts of every page: forms show that they wait, and times show the reader's time zone.
const PENDING_MS_MAX = 20_000
const COPIED_MS = 2000

const release = form => form.removeAttribute('aria-busy')

addEventListener('submit', event => {
  const { target: form } = event
  if (form.method !== 'post') return
  // Only for the reader: the service ignores a second copy of a form.
  if (form.ariaBusy === 'true') return event.preventDefault()
  form.ariaBusy = 'true'
  setTimeout(release, PENDING_MS_MAX, form)
})

// A page from the browser's history must not show that it waits.
addEventListener('pageshow', () => document.querySelectorAll('form[aria-busy]').forEach(release))

addEventListener('click', async ({ target }) => {
  if (target.matches('thead a')) sessionStorage.setItem('focused', '[aria-sort] a')
  if (target.matches('.lead .button')) sessionStorage.setItem('focused', '.lead .button')
  if (target.matches('[data-print]')) print()
  if (!target.matches('[data-copy]')) return
  await navigator.clipboard.writeText(target.previousElementSibling.textContent)
  target.textContent = 'Copied'
  setTimeout(() => {
    target.textContent = 'Copy'
  }, COPIED_MS)
})

// Choices apply at once. The style sheet hides the button of a form without a text if scripts run.
addEventListener('change', ({ target }) => {
  if (!target.matches('[data-submit] select')) return
  target.focus()
  target.form.requestSubmit()
})

// The next page gives the focus back to the field of a list, to the head that sorts it, or to what follows it.
document.querySelector(sessionStorage.getItem('focused') ?? 'none')?.focus()
sessionStorage.removeItem('focused')

addEventListener('formdata', ({ target, formData }) => {
  const { name } = document.activeElement
  if (target.matches('[data-submit] form') && name)
    sessionStorage.setItem('focused', `[data-submit] [name="${name}"]`)
  for (const [name, value] of target.method === 'get' ? [...formData] : []) if (!value) formData.delete(name)
})

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = `${local.format(new Date(time.dateTime))} in your time zone (${zone})`
}

for (const note of new Date().getTimezoneOffset() === 0 ? [] : document.querySelectorAll('[data-zone]')) {
  note.textContent += ` It is ${new Date().toISOString().slice(11, 16)} UTC now, and ${local.format(new Date())} in your time zone (${zone}). Point at a time to read it in yours.`
}

// The bar below the pointer or with the focus says its numbers above it. A live page may replace its charts.
function readOut({ target }) {
  for (const shown of document.querySelectorAll('.readout')) shown.textContent = ''
  const bar = [target, document.activeElement]
    .find(each => each.matches?.('.chart a, .chart a *'))
    ?.closest('a')
  if (!bar) return
  const chart = bar.closest('.chart')
  const [inner, outer] = [bar, chart].map(each => each.getBoundingClientRect())
  const share = (inner.left + inner.width / 2 - outer.left) / outer.width
  const shown = chart.querySelector('.readout')
  shown.textContent = bar.ariaLabel
  // Within the width of the chart at each bar.
  Object.assign(shown.style, { left: `${share * 100}%`, translate: `${share * -100}%` })
}
for (const type of ['pointerover', 'focusin']) addEventListener(type, readOut)

// A first touch shows the numbers, a second one follows the link.
let touched
addEventListener('click', event => {
  const bar = event.target.closest('.chart a')
  if (bar && event.pointerType === 'touch' && bar !== touched) event.preventDefault()
  touched = bar
})

addEventListener('keydown', ({ key }) => {
  const next = { ArrowLeft: 'previousElementSibling', ArrowRight: 'nextElementSibling' }[key]
  document.activeElement.closest('.chart a')?.[next]?.focus()
})
