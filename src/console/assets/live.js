// Live figures: each element names its field of /live.json. One answer updates all of them.
const LIVE_EVERY_MS = 2000

const figures = [...document.querySelectorAll('[data-live]')]
const tail = document.querySelector('[data-tail]')
const state = document.querySelector('[data-live-state]')

/** Shows the reason why the figures are old; nothing if `text` is empty. */
function report(text, link) {
  if (state.dataset.reason === text) return
  state.dataset.reason = text
  state.replaceChildren(text)
  if (link !== undefined) state.append(' ', link)
  state.hidden = text === ''
  // The next answer brings it back.
  if (text !== '') document.querySelector('.tag.live')?.replaceWith('stopped')
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
    const banner = figure.closest('.banner')
    if (banner !== null) banner.hidden = text === ''
  }
}

/** Returns the JSON of an address; undefined if the reader may not have it. */
async function ask(address) {
  const response = await fetch(address, { redirect: 'manual' })
  if (response.status === 401)
    report('Your session has ended. The figures on this page are old.', signInLink())
  else if (response.status === 409)
    report('This browser has switched to another account. The figures on this page are old.')
  // A person without an account has no figures.
  else if (response.status !== 403 && !response.ok) throw new Error(`status ${response.status}`)
  return response.ok ? response.json() : undefined
}

async function refresh() {
  // A hidden page requests nothing.
  if (document.hidden) return
  const { account } = document.querySelector('main').dataset
  const live = await ask(`/live.json?account=${account}`)
  if (live === undefined) return
  report('')
  show(live)
  // Nothing moves while somebody reads a request, or chooses one or a filter by the keyboard.
  if (tail === null) return
  if (tail.matches(':has(details[open], select:focus, input:focus, :focus-visible)'))
    return document.querySelector('.tag.live')?.replaceWith('paused')
  const list = await ask(`${tail.dataset.tail}&account=${account}`)
  if (list === undefined) return
  const page = new DOMParser().parseFromString(list.html, 'text/html')
  tail.replaceChildren(...page.querySelector('[data-tail]').childNodes)
}

const fail = () => report('The service does not answer. The figures on this page are old until it does.')

if (figures.length > 0) setInterval(() => refresh().catch(fail), LIVE_EVERY_MS)
