// Keys: `/` goes to the search, `g` and a letter to a page, `?` shows the keys. Links of the navigation have the letters.
const FOLLOW_MS_MAX = 2000

const links = [...document.querySelectorAll('nav [data-key]')]
const search = document.querySelector('input[type=search]')
let goMs = -FOLLOW_MS_MAX

function press(event) {
  const { key, target, timeStamp } = event
  const isTyping = target.matches?.('input, select, textarea')
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const isGo = timeStamp - goMs < FOLLOW_MS_MAX
  goMs = key === 'g' ? timeStamp : -FOLLOW_MS_MAX
  const link = isGo && links.find(({ dataset }) => dataset.key === key)
  if (link) link.click()
  else if (key === '/' && search !== null) search.focus()
  else if (key === '?' && links.length > 0) showKeys()
  else return
  event.preventDefault()
}

function showKeys() {
  const dialog = document.createElement('dialog')
  const title = document.createElement('h2')
  const list = document.createElement('dl')
  const button = document.createElement('button')
  const rows = [
    ...(search === null ? [] : [['/', 'Search']]),
    ['?', 'These keys'],
    ...links.map(link => [`g ${link.dataset.key}`, link.textContent]),
  ]
  for (const [keys, text] of rows) {
    const [name, meaning] = [document.createElement('dt'), document.createElement('dd')]
    name.append(
      ...keys.split(' ').map(each => Object.assign(document.createElement('kbd'), { textContent: each })),
    )
    meaning.textContent = text
    list.append(name, meaning)
  }
  list.className = 'pairs'
  title.id = 'keys-title'
  title.textContent = 'Keyboard'
  button.textContent = 'Close'
  button.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  dialog.setAttribute('aria-labelledby', title.id)
  dialog.append(title, list, button)
  document.body.append(dialog)
  dialog.showModal()
}

if (links.length > 0 && matchMedia('(hover: hover)').matches)
  document.querySelector('[data-zone]')?.append(' Press ? for shortcuts.')

addEventListener('keydown', press)
