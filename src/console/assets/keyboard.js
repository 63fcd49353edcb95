// Keys: `/` and ⌘K go to the search, `g` and a letter to a page, `?` shows the letters of the navigation.
const FOLLOW_MS_MAX = 2000

const links = [...document.querySelectorAll('nav [data-key]')]
const search = document.querySelector('input[type=search]')
let goMs = -FOLLOW_MS_MAX

addEventListener('keydown', event => {
  const { key, target, timeStamp, ctrlKey, metaKey, altKey } = event
  const isCommand = key === 'k' && (ctrlKey || metaKey)
  const isTyping = target.matches?.('input, select, textarea')
  if (!isCommand && (isTyping || ctrlKey || metaKey || altKey)) return
  const isGo = timeStamp - goMs < FOLLOW_MS_MAX
  goMs = key === 'g' ? timeStamp : -FOLLOW_MS_MAX
  const link = isGo && links.find(({ dataset }) => dataset.key === key)
  if (link) link.click()
  else if ((key === '/' || isCommand) && search !== null) search.focus()
  else if (key === '?' || isCommand) document.body.classList.toggle('keys')
  else return
  event.preventDefault()
})
