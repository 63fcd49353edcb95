// Copy buttons. The style sheet shows them only if scripts run.
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = button.parentElement.querySelector('[data-copy-source]')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
}
