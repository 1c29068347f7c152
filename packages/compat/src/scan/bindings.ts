import type { Token } from './tokens.ts'

const packages = /^@cometchat(?:-pro)?\/chat(?:-sdk-(?:javascript|react-native|ionic))?$/
const exported = 'CometChat'

/** The names in a file that stand for `CometChat`, and for the whole package. */
export interface Bindings {
  readonly members: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
}

/** From imports, requires, and the script tag, which makes a global. */
export function bindingsOf(tokens: readonly Token[]): Bindings {
  const members = new Set<string>()
  const whole = new Set<string>()
  let isDeclaredElsewhere = false
  tokens.forEach(({ kind, text }, index) => {
    if (kind !== 'string') return
    const braces = bracesBefore(tokens, index)
    const names = braces && namesBetween(tokens.slice(braces.open + 1, braces.close))
    if (!packages.test(text)) {
      isDeclaredElsewhere ||= names?.has(exported) ?? false
      return
    }
    const local = names?.get(exported)
    if (local) members.add(local)
    const star = starBefore(tokens, index)
    if (star) whole.add(star)
  })
  if (members.size + whole.size === 0 && !isDeclaredElsewhere) members.add(exported)
  return { members, packages: whole }
}

/** `{ ... } from 'x'`, `{ ... } = require('x')`, `{ ... } = await import('x')`. */
function bracesBefore(tokens: readonly Token[], string: number) {
  let close = string - 1
  const isBetween = new Set(['from', '(', 'require', 'import', 'await', '='])
  while (isBetween.has(tokens[close]?.text ?? '')) close--
  if (close === string - 1 || tokens[close]?.text !== '}') return undefined
  let open = close
  while (open >= 0 && tokens[open]?.text !== '{') open--
  return { open, close }
}

/** `a`, `a as b` and `a: b`: by the name outside, that inside. */
function namesBetween(tokens: readonly Token[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const [index, { text, kind }] of tokens.entries()) {
    const isFirst = index === 0 || [',', 'type'].includes(tokens[index - 1]?.text ?? '')
    if (kind !== 'name' || !isFirst || text === 'type') continue
    const isRenamed = ['as', ':'].includes(tokens[index + 1]?.text ?? '')
    names.set(text, isRenamed ? (tokens[index + 2]?.text ?? text) : text)
  }
  return names
}

/** `* as all from 'x'`, `const all = require('x')`. */
function starBefore(tokens: readonly Token[], string: number): string | undefined {
  const texts = tokens.slice(Math.max(0, string - 4), string).map(({ text }) => text)
  const [fourth, third, second, first] = texts
  if (first === 'from' && third === 'as' && fourth === '*') return second
  if (first === '(' && second === 'require' && third === '=') return fourth
  return undefined
}
