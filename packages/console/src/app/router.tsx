import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react'

const base = '/console'
const changed = 'chorale-navigated'

/** Where the console is: a path below `/console`, and the query behind it. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('popstate', onChange)
  window.addEventListener(changed, onChange)
  return () => {
    window.removeEventListener('popstate', onChange)
    window.removeEventListener(changed, onChange)
  }
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search)
  const url = new URL(address, location.origin)
  return { path: url.pathname.slice(base.length) || '/', query: url.searchParams }
}

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  const state = { fromConsole: true }
  if (how === 'push') history.pushState(state, '', base + to)
  else history.replaceState(state, '', base + to)
  window.dispatchEvent(new Event(changed))
}

/** Changes the query of the page that is open; undefined removes a name. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.size > 0 ? `?${query}` : ''
  navigate(location.pathname.slice(base.length) + text, how)
}

/** A place of the console out of an address that came from outside; anything else is the start. */
export function placeIn(address: string | null): string {
  const url = address === null ? null : URL.parse(address, location.origin)
  const isOurs = url?.origin === location.origin && /^\/console(?:\/|$)/.test(url.pathname)
  return isOurs ? url.pathname.slice(base.length) + url.search : '/'
}

/** Where a person who has to sign in comes back to. */
export function signInPlace(): string {
  const { pathname, search } = location
  if (pathname === `${base}/sign-in`) return `/sign-in${search}`
  return `/sign-in?returnTo=${encodeURIComponent(pathname + search)}`
}

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  readonly to: string
}

export function Link({ to, ...props }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey)
    if (!isPlain || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return <a {...props} href={base + to} onClick={follow} />
}
