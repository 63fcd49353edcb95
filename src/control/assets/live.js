// Live figures: each element names the field of /live.json that it shows. All come from one answer, so they agree.
const LIVE_EVERY_MS = 2000

const figures = [...document.querySelectorAll('[data-live]')]
const state = document.querySelector('[data-live-state]')

/** Says why the page's figures stand still; nothing when they do not. */
function report(text, link) {
  if (state.dataset.reason === text) return
  state.dataset.reason = text
  state.replaceChildren(text)
  if (link !== undefined) state.append(' ', link)
  state.hidden = text === ''
}

function signInLink() {
  const link = document.createElement('a')
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`
  link.textContent = 'Sign in again'
  return link
}

function show(live) {
  for (const figure of figures) {
    const text = live[figure.dataset.live]
    if (figure.textContent !== text) figure.textContent = text
    if (figure.dataset.liveTitle !== undefined) figure.title = live[figure.dataset.liveTitle]
    const meter = figure.parentElement.querySelector('meter')
    if (meter !== null) meter.value = Number(text.replaceAll(',', ''))
    const banner = figure.closest('.banner')
    if (banner !== null) banner.hidden = text === ''
  }
}

async function refresh() {
  // A hidden page requests nothing.
  if (document.hidden) return
  const { account } = document.querySelector('main').dataset
  const response = await fetch(`/live.json?account=${account}`, { redirect: 'manual' })
  if (response.status === 401)
    return report('Your session has ended. The figures on this page are old.', signInLink())
  if (response.status === 409)
    return report('This browser has switched to another account. The figures on this page are old.')
  // Whoever belongs to no account has no figures.
  if (response.status === 403) return
  if (!response.ok) throw new Error(`status ${response.status}`)
  report('')
  show(await response.json())
}

const refreshOrReport = () =>
  refresh().catch(() =>
    report('The service does not answer. The figures on this page are old; they go on when it is back.'),
  )

if (figures.length > 0) setInterval(refreshOrReport, LIVE_EVERY_MS)
