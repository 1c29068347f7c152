/** Writes docs/sdk-reference.md from the types of the SDK and their comments; `--check` only compares. */
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './tree.ts'
import { writeOrCheck } from './written.ts'

const sources = join(root, 'packages/sdk/src')
const generated = join(sources, 'contract.generated.ts')
const program = ts.createProgram([join(sources, 'index.ts')], {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
})
const checker = program.getTypeChecker()

interface Exported {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly declaration: ts.Declaration
}

/** In the order of the files that declare them, as index.ts names these. */
function exportedNames(): Exported[] {
  const index = program.getSourceFile(join(sources, 'index.ts'))
  const module = index && checker.getSymbolAtLocation(index)
  if (!module) throw new Error('packages/sdk/src/index.ts cannot be read.')
  return checker.getExportsOfModule(module).map((one) => {
    const isAlias = (one.flags & ts.SymbolFlags.Alias) !== 0
    const symbol = isAlias ? checker.getAliasedSymbol(one) : one
    const [declaration] = symbol.declarations ?? []
    if (!declaration) throw new Error(`${one.name} is declared nowhere.`)
    return { name: one.name, symbol, declaration }
  })
}

const without: string[] = []

function commentOf(symbol: ts.Symbol, name: string): string {
  const text =
    ts.displayPartsToString(symbol.getDocumentationComment(checker)) || inlineComment(symbol)
  if (text === '') without.push(name)
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** One on the same line, as generated types have them, is no comment of the name for TypeScript. */
function inlineComment({ declarations: [declaration] = [] }: ts.Symbol): string {
  if (!declaration) return ''
  const before = declaration.getFullText().slice(0, declaration.getLeadingTriviaWidth())
  return /\/\*\* (.*?) \*\//.exec(before)?.[1] ?? ''
}

/** As it is written in the sources, without comments, on one line. */
function textOf(node: ts.Node): string {
  const printer = ts.createPrinter({ removeComments: true })
  return printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replaceAll(/\s+/g, ' ')
    .replace(/;$/, '')
}

/** In a table a bar would end the cell. */
const cell = (text: string) => text.replaceAll('|', '\\|')
const code = (text: string) => `\`${text}\``

interface Row {
  readonly name: string
  readonly type: string
  readonly about: string
}

function memberRow(member: ts.TypeElement | ts.ClassElement, owner: string): Row | undefined {
  const symbol = member.name && checker.getSymbolAtLocation(member.name)
  if (!symbol || symbol.name.startsWith('#')) return undefined
  const about = commentOf(symbol, `${owner}.${symbol.name}`)
  if (ts.isMethodSignature(member)) {
    const parameters = member.parameters.map(textOf).join(', ')
    const type = member.type ? textOf(member.type) : 'void'
    return { name: symbol.name, type: `(${parameters}) => ${type}`, about }
  }
  if (ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) {
    const name = `${symbol.name}${member.questionToken ? '?' : ''}`
    return { name, type: member.type ? typeText(member.type) : '', about }
  }
  return undefined
}

/** What is written, unless that names something that nobody sees. */
function typeText(node: ts.TypeNode): string {
  if (!/\btypeof texts\b|\bErrorBody\b/.test(textOf(node))) return textOf(node)
  const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias
  return checker.typeToString(checker.getTypeFromTypeNode(node), undefined, flags)
}

function tableOf(rows: readonly Row[]): string[] {
  const lines = rows.map(
    ({ name, type, about }) => `| ${code(name)} | ${cell(code(type))} | ${cell(about)} |`,
  )
  return ['', '| Name | Type | |', '|---|---|---|', ...lines]
}

/** One that is taken apart is named `options`. */
function parameterOf(parameter: ts.ParameterDeclaration): string {
  if (ts.isIdentifier(parameter.name)) return textOf(parameter)
  return `options: ${parameter.type ? textOf(parameter.type) : 'object'}`
}

const fence = (text: string) => ['', '```ts', text, '```']

type Declared = ts.InterfaceDeclaration | ts.ClassDeclaration

/** Interfaces and classes that this one extends, by their names. */
function parentsOf(
  declaration: Declared,
): readonly { text: string; declared: Declared | undefined }[] {
  const parents = (declaration.heritageClauses ?? []).flatMap(({ types }) => [...types])
  return parents.map((parent) => {
    const found = checker.getSymbolAtLocation(parent.expression)?.declarations?.[0]
    const isOurs =
      found &&
      ts.isInterfaceDeclaration(found) &&
      found.getSourceFile().fileName.startsWith(sources)
    return { text: textOf(parent), declared: isOurs ? found : undefined }
  })
}

const isExported = (node: ts.Declaration) => names.some(({ declaration }) => declaration === node)

/** Members of its own, and those of parents that the reference does not have. */
function membersOf(declaration: Declared, owner: string): Row[] {
  const inherited = parentsOf(declaration).flatMap(({ declared }) =>
    declared && !isExported(declared) ? membersOf(declared, owner) : [],
  )
  const own = [...declaration.members].flatMap((member) => memberRow(member, owner) ?? [])
  return [...own, ...inherited]
}

function extendsLine(declaration: Declared): string[] {
  const shown = parentsOf(declaration).filter(({ declared }) => !declared || isExported(declared))
  return shown.length > 0
    ? ['', `Has all of ${shown.map(({ text }) => code(text)).join(', ')}, and:`]
    : []
}

/** What is below the heading and the comment. */
function bodyOf({ name, declaration }: Exported): string[] {
  if (ts.isFunctionDeclaration(declaration)) {
    const parameters = declaration.parameters.map(parameterOf).join(', ')
    return fence(
      `function ${name}(${parameters}): ${declaration.type ? textOf(declaration.type) : 'void'}`,
    )
  }
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
    return [...extendsLine(declaration), ...tableOf(membersOf(declaration, name))]
  }
  if (ts.isTypeAliasDeclaration(declaration)) {
    const rows = ts.isTypeLiteralNode(declaration.type)
      ? declaration.type.members.flatMap((member) => memberRow(member, name) ?? [])
      : []
    return rows.length > 0 ? tableOf(rows) : fence(textOf(declaration).replace(/^export /, ''))
  }
  throw new Error(`${name} is of a kind that the reference does not know.`)
}

/** Of the contract: what devices and servers read and write. Longer ones are described elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  ErrorCode: 'Every code that the service refuses with: [errors](errors.md).',
  DeviceOperation: 'The names of the operations that a device may call.',
  ManagementOperation: 'The names of the operations of the management API.',
  OperationInputs: 'What each operation takes, by its name: `/docs` of an install shows it.',
  OperationOutputs: 'What each operation answers, by its name: likewise.',
  ClientFrame: 'What a device sends over the connection: [realtime](realtime.md).',
  ServerFrame: 'What the service sends over the connection: likewise.',
}

function entry(one: Exported): string[] {
  const heading = ['', `### ${one.name}`, '']
  const pointer = elsewhere[one.name]
  if (pointer !== undefined) return [...heading, pointer]
  const isModel = one.declaration.getSourceFile().fileName === generated
  const known = without.length
  const about = commentOf(one.symbol, one.name)
  const body = bodyOf(one)
  // Comments of models are those of the contract, which has one where a name does not say it.
  if (isModel) without.length = known
  return about === '' ? ['', `### ${one.name}`, ...body] : [...heading, about, ...body]
}

interface Section {
  readonly title: string
  has(one: Exported): boolean
}

const fileOf = ({ declaration }: Exported) =>
  declaration.getSourceFile().fileName.slice(sources.length + 1)
const sections: readonly Section[] = [
  { title: 'Functions', has: ({ declaration }) => ts.isFunctionDeclaration(declaration) },
  { title: 'The chat client', has: (one) => fileOf(one).startsWith('chat/') },
  { title: 'Sessions', has: (one) => /^session\//.test(fileOf(one)) },
  { title: 'Calls and errors', has: (one) => fileOf(one) !== 'contract.generated.ts' },
  { title: 'Models', has: () => true },
]

const names = exportedNames().toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
const lines = sections.flatMap((section) => {
  const own = names.filter((one) => sections.find(({ has }) => has(one)) === section)
  return ['', `## ${section.title}`, ...own.flatMap(entry)]
})
if (without.length > 0) {
  throw new Error(`These need a comment for the reference of the SDK:\n${without.join('\n')}`)
}
const introduction = `# SDK reference

Every name that \`@chorale/sdk\` exports. [The SDK](sdk.md) says how to use them. Generated from the sources by
\`npm run generated\`.`
writeOrCheck('docs/sdk-reference.md', `${[introduction, ...lines].join('\n')}\n`)
