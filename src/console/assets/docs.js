// Sends the forms of the API reference without leaving the page, and copies a key to all forms.
const keys = [...document.querySelectorAll('[data-try] [name=apiKey]')]

for (const key of keys) {
  key.addEventListener('input', () => {
    for (const other of keys) other.value = key.value
  })
}

for (const box of document.querySelectorAll('[data-try]')) {
  const form = box.querySelector('form')
  const shown = box.querySelector('[role=status]')
  form.addEventListener('submit', async event => {
    event.preventDefault()
    shown.textContent = 'Sending …'
    try {
      // The response is this page with the answer, or the sign-in if the session has ended.
      const response = await fetch(form.action, {
        method: 'POST',
        body: new URLSearchParams(new FormData(form)),
      })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const answer = page.getElementById(shown.id)
      if (answer === null) location.assign('/sign-in?next=/docs')
      else shown.replaceChildren(...answer.childNodes)
    } catch {
      shown.textContent = 'The service does not answer. Try again in a moment.'
    } finally {
      form.removeAttribute('aria-busy')
    }
  })
}
