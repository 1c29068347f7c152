export interface Token {
  readonly kind: 'name' | 'string' | 'sign'
  readonly text: string
  readonly line: number
}

/** After these a slash begins a regular expression, as it does after a sign. */
const beforeExpression = new Set(['return', 'typeof', 'case', 'in', 'of', 'do', 'else', 'void'])
const beforeString = new Set([...beforeExpression, 'from', 'import', 'throw', 'default', 'yield'])
const closing = new Set([')', ']', '}', '<'])

/**
 * The tokens of a JavaScript or TypeScript file, of JSX and of pages with scripts in them. Comments are
 * left out, and so is text: a quote that its own line does not close, as in `don't`, begins no string.
 */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  /** How many braces are open in each `${` of a template that is open. */
  const templates: number[] = []
  let line = 1
  let at = 0

  const push = (kind: Token['kind'], text: string) => tokens.push({ kind, text, line })
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  const skip = (text: string) => {
    at += text.length
    line += text.split('\n').length - 1
  }
  const skipTemplate = () => {
    const text = take(/(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{|$)/y) ?? ''
    if (text.endsWith('${')) templates.push(0)
    skip(text)
  }
  const isExpressionNext = () => {
    const last = tokens.at(-1)
    if (!last) return true
    if (last.kind === 'name') return beforeExpression.has(last.text)
    return last.kind === 'sign' && !closing.has(last.text)
  }

  // In text such as `don't`; code has a word of its own before a string.
  const isApostrophe = () => {
    const word = tokens.at(-1)?.text ?? ''
    return /\w/.test(source[at - 1] ?? '') && !beforeString.has(word)
  }

  while (at < source.length) {
    const space = take(/\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<!--[\s\S]*?(?:-->|$)/y)
    if (space) {
      skip(space)
      continue
    }
    const name = take(/[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy)
    const string = isApostrophe()
      ? undefined
      : take(/'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y)
    const expression = take(/\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y)
    if (name) push('name', name)
    else if (string) push('string', string.slice(1, -1))
    if (name || string) skip(name ?? string ?? '')
    else if (expression && isExpressionNext()) skip(expression)
    else if (source[at] === '`') {
      skip('`')
      push('string', '')
      skipTemplate()
    } else {
      const sign = take(/\?\.(?!\d)|\d[\w.]*|=>|./sy) ?? ''
      if (sign === '}' && templates.at(-1) === 0) {
        templates.pop()
        skip(sign)
        skipTemplate()
        continue
      }
      count(sign, templates)
      push('sign', sign)
      skip(sign)
    }
  }
  return tokens
}

function count(sign: string, templates: number[]): void {
  const open = templates.at(-1)
  if (open === undefined) return
  if (sign === '{') templates[templates.length - 1] = open + 1
  if (sign === '}') templates[templates.length - 1] = open - 1
}
