import { useEffect, useState } from 'react'
import { frame } from '../strings/frame.ts'
import { Toasts } from '../ui/toast.tsx'
import { AppSwitcher } from './app-switcher.tsx'
import { Navigation } from './navigation.tsx'
import { PageView } from './page-view.tsx'
import { Link, usePlace } from './router.tsx'
import { useSelf } from './session.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import { useOpenApp } from './use-open-app.ts'

/** What is around every page: the bar at the top, the navigation, messages. */
export function Frame() {
  const { path } = usePlace()
  const self = useSelf()
  const open = useOpenApp()
  const [isMenuOpen, setMenuOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes whenever the path changes.
  useEffect(() => setMenuOpen(false), [path])
  return (
    <div className="frame">
      <a className="skip" href="#page">
        {frame.skip}
      </a>
      <header className="bar">
        <button
          type="button"
          className="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          {frame.menu}
        </button>
        <Link to="/" className="brand">
          {frame.title}
        </Link>
        <AppSwitcher open={open.app} />
        <Link to="/account" className="account" aria-label={frame.accountOf(self.name)}>
          <span aria-hidden="true">{self.name.slice(0, 1).toUpperCase()}</span>
        </Link>
      </header>
      <nav
        id="navigation"
        className="sidebar"
        aria-label={frame.navigation}
        data-open={isMenuOpen || undefined}
      >
        <Navigation app={open.app} />
        <ThemeChoice />
      </nav>
      <main id="page" tabIndex={-1}>
        <PageView open={open} />
      </main>
      <Toasts />
    </div>
  )
}
