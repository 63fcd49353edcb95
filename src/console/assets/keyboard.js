// Keys: `/` and ⌘K go to the search.
const search = document.querySelector('input[type=search]')

addEventListener('keydown', event => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  const isPlain = !ctrlKey && !metaKey && !altKey && !target.matches?.('input, select, textarea')
  if (search === null || !(key === '/' ? isPlain : key === 'k' && (ctrlKey || metaKey))) return
  search.focus()
  event.preventDefault()
})
