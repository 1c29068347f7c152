const key = 'chorale-reloaded-at'
const againAfterMs = 10_000

/** After an upgrade the files of the page that is open are gone: it is loaded anew, once. */
export function reloadForNewVersion(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(key) ?? 0) < againAfterMs) return
    event.preventDefault()
    sessionStorage.setItem(key, String(Date.now()))
    location.reload()
  })
}
