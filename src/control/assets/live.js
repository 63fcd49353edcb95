// Live figures: each element names the field of /live.json that it shows.
const LIVE_EVERY_MS = 2000

const figures = [...document.querySelectorAll('[data-live]')]

async function refresh() {
  // A hidden page requests nothing.
  if (document.hidden) return
  const response = await fetch('/live.json', { redirect: 'manual' })
  // Signed out in the meantime: keep the last figures.
  if (!response.ok) return
  const live = await response.json()
  for (const figure of figures) {
    const text = live[figure.dataset.live]
    if (figure.textContent !== text) figure.textContent = text
  }
}

if (figures.length > 0) setInterval(() => refresh().catch(() => {}), LIVE_EVERY_MS)
