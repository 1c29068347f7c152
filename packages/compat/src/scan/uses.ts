import { bindingsOf } from './bindings.ts'
import { type Token, tokensOf } from './tokens.ts'

/** A name of the SDK, as `names.ts` has it, and where it stands. */
export interface Use {
  readonly name: string
  readonly line: number
}

/** Every name of the SDK that a file uses, as far as its text shows it. */
export function usesIn(source: string): Use[] {
  const tokens = tokensOf(source)
  const { members, packages } = bindingsOf(tokens)
  const uses: Use[] = []
  /** Variables that hold an object of a class of the SDK. */
  const classes = new Map<string, string>()
  tokens.forEach((token, index) => {
    if (token.kind !== 'name' || isDot(tokens[index - 1])) return
    const isWhole = packages.has(token.text) && tokens[index + 2]?.text === 'CometChat'
    const root = isWhole ? index + 2 : index
    if (isWhole || members.has(token.text)) uses.push(...usesAt(tokens, root, index, classes))
    else uses.push(...methodAt(tokens, index, classes))
  })
  return uses
}

const isDot = (token: Token | undefined) => token?.text === '.' || token?.text === '?.'

/** The name behind a dot there. */
function nameBehind(tokens: readonly Token[], index: number): Token | undefined {
  const name = tokens[index + 2]
  return isDot(tokens[index + 1]) && name?.kind === 'name' ? name : undefined
}

function usesAt(
  tokens: readonly Token[],
  root: number,
  start: number,
  classes: Map<string, string>,
): Use[] {
  const member = nameBehind(tokens, root)
  if (!member) return destructuredAt(tokens, start)
  const { text, line } = member
  const uses: Use[] = [{ name: text, line }]
  let last = root + 2
  // Groups of constants, statics of classes, the helper.
  const isGroup = /^[A-Z]/.test(text)
  for (let next = nameBehind(tokens, last); isGroup && next; next = nameBehind(tokens, last)) {
    last += 2
    uses.push({ name: `${uses.at(-1)?.name}.${next.text}`, line: next.line })
  }
  // `CometChat.USER_STATUS.ONLINE` is one name, not three.
  if (last > root + 2) return uses.slice(-1)
  if (tokens[start - 1]?.text !== 'new') return uses
  const call = closeOf(tokens, root + 3)
  const chain = chainAt(tokens, call, text)
  const variable = variableBefore(tokens, start - 1)
  const isBuilt = chain.at(-1)?.name === `${text}.build`
  if (variable) classes.set(variable, isBuilt ? text.replace(/Builder$/, '') : text)
  return [...uses, ...chain, ...(text.endsWith('Listener') ? keysAt(tokens, root + 3, text) : [])]
}

/** `const { login, init: begin } = CometChat`. */
function destructuredAt(tokens: readonly Token[], root: number): Use[] {
  if (tokens[root - 1]?.text !== '=' || tokens[root - 2]?.text !== '}') return []
  let open = root - 2
  while (open >= 0 && tokens[open]?.text !== '{') open--
  return tokens
    .slice(open + 1, root - 2)
    .filter(
      ({ kind }, index, all) => kind === 'name' && (index === 0 || all[index - 1]?.text === ','),
    )
    .map(({ text, line }) => ({ name: text, line }))
}

/** The place of the bracket that closes that at `open`; `open` itself where there is none. */
function closeOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let index = open; index < tokens.length; index++) {
    const { text, kind } = tokens[index] as Token
    if (kind !== 'sign') continue
    if ('([{'.includes(text)) depth++
    if (')]}'.includes(text)) depth--
    if (depth === 0) return index
  }
  return open
}

/** `.setLimit(30).build()` behind the call that ends at `end`. */
function chainAt(tokens: readonly Token[], end: number, owner: string): Use[] {
  const uses: Use[] = []
  for (let name = nameBehind(tokens, end); name; name = nameBehind(tokens, end)) {
    uses.push({ name: `${owner}.${name.text}`, line: name.line })
    if (name.text === 'build' || tokens[end + 3]?.text !== '(') break
    end = closeOf(tokens, end + 3)
  }
  return uses
}

/** `const request = new ...`, `let request: Type = new ...`, `this.request = new ...`. */
function variableBefore(tokens: readonly Token[], start: number): string | undefined {
  if (tokens[start - 1]?.text !== '=') return undefined
  const line = tokens.slice(Math.max(0, start - 12), start - 1)
  const declared = line.findLastIndex(({ text }) => ['const', 'let', 'var'].includes(text))
  const name = declared >= 0 ? line[declared + 1] : line.at(-1)
  return name?.kind === 'name' ? name.text : undefined
}

/** The callbacks of `new CometChat.XListener({ ... })`. */
function keysAt(tokens: readonly Token[], open: number, owner: string): Use[] {
  if (tokens[open]?.text !== '(' || tokens[open + 1]?.text !== '{') return []
  const end = closeOf(tokens, open + 1)
  const uses: Use[] = []
  for (let index = open + 2; index < end; index++) {
    const { kind, text, line } = tokens[index] as Token
    const before = tokens[index - 1]?.text ?? ''
    const after = tokens[index + 1]?.text ?? ''
    if (kind === 'sign' && '([{'.includes(text)) index = closeOf(tokens, index)
    else if (kind === 'name' && '{,async'.includes(before) && ':(,}'.includes(after)) {
      uses.push({ name: `${owner}.${text}`, line })
    }
  }
  return uses
}

/** A method of a variable whose class is known. */
function methodAt(
  tokens: readonly Token[],
  index: number,
  classes: ReadonlyMap<string, string>,
): Use[] {
  const owner = classes.get(tokens[index]?.text ?? '')
  const method = owner === undefined ? undefined : nameBehind(tokens, index)
  if (!method || tokens[index + 3]?.text !== '(') return []
  return [{ name: `${owner}.${method.text}`, line: method.line }]
}
