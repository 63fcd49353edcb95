// Scripts of every page: forms show that they wait, times are shown in the reader's own zone.
const PENDING_MS_MAX = 20_000

function release(form) {
  form.removeAttribute('aria-busy')
}

for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', event => {
    // The service repeats nothing when a form comes twice; this only spares the reader from wondering.
    if (form.getAttribute('aria-busy') === 'true') return event.preventDefault()
    form.setAttribute('aria-busy', 'true')
    setTimeout(release, PENDING_MS_MAX, form)
  })
}

// A page that the browser kept, and shows again, waits for nothing.
addEventListener('pageshow', () => document.querySelectorAll('form[aria-busy]').forEach(release))

for (const button of document.querySelectorAll('[data-print]'))
  button.addEventListener('click', () => print())

// A choice applies itself; the style sheet hides the button where scripts run.
for (const form of document.querySelectorAll('form[data-submit]'))
  form.addEventListener('change', () => form.requestSubmit())

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = `${local.format(new Date(time.dateTime))} in your time zone (${zone})`
}

const isUtc = new Date().getTimezoneOffset() === 0

for (const note of isUtc ? [] : document.querySelectorAll('[data-zone]')) {
  note.textContent += ` It is ${new Date().toISOString().slice(11, 16)} UTC now, and ${local.format(new Date())} in your time zone (${zone}). Point at a time to read it in yours.`
}
