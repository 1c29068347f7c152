import { useState } from 'react'
import { frame } from '../strings/frame.ts'
import { applyTheme, chosenTheme, type Theme, themes } from './theme.ts'

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (wanted: Theme) => {
    applyTheme(wanted)
    setTheme(wanted)
  }
  return (
    <label className="theme">
      <span>{frame.theme}</span>
      <select value={theme} onChange={({ target }) => choose(target.value as Theme)}>
        {themes.map((one) => (
          <option key={one} value={one}>
            {frame.themes[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
