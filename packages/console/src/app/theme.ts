export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'chorale-theme'

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(key)
  return themes.find((theme) => theme === kept) ?? 'system'
}

/** The style sheet follows `data-theme`; without it, the system. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  localStorage.setItem(key, theme)
}
