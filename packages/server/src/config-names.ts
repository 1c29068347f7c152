/** Variables that begin so are ours: nobody else's are taken for a mistake. */
const namespaces = [
  'CHORALE_',
  'CLASSIFIER_',
  'EGRESS_',
  'GATEWAY_',
  'LISTENER_',
  'MANAGEMENT_',
  'OPERATIONS_',
  'PUSH_',
  'WEBHOOK_',
]

/** Options of `chorale move`, `export` and `import`, which are no settings of the service. */
const ofCommands = /^CHORALE_(?:ARCHIVE|MOVE)_/

/** A name that is shorter resembles too many. */
const shortestResembling = 8
const maxTypos = 2

export interface UnknownName {
  readonly name: string
  readonly nearest: string
}

/** Of all these names, those that are no setting. */
export function unknownNames(
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
): UnknownName[] {
  return strangersIn(environment, known).map((name) => ({ name, nearest: nearestTo(name, known) }))
}

/**
 * Names that must be mistakes. The environment of a machine has hundreds of names that are not for us: of
 * these only such as are in a namespace of ours, or differ from a setting by a typing mistake.
 */
export function mistakenNames(
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
): UnknownName[] {
  return strangersIn(environment, known).flatMap((name) => {
    if (ofCommands.test(name) || isServiceLink(name, environment[name])) return []
    if (namespaces.some((namespace) => name.startsWith(namespace))) {
      return [{ name, nearest: nearestTo(name, known) }]
    }
    const alike =
      name.length < shortestResembling ? [] : known.filter((other) => isAlike(name, other))
    return alike.length === 0 ? [] : [{ name, nearest: nearestTo(name, alike) }]
  })
}

/** Names that share their first word with a setting: meant for us, or for another program. */
export function doubtfulNames(
  environment: NodeJS.ProcessEnv,
  known: readonly string[],
): UnknownName[] {
  const words = new Set(known.filter((name) => name.includes('_')).map(firstWord))
  return strangersIn(environment, known)
    .filter((name) => words.has(firstWord(name)) && !isServiceLink(name, environment[name]))
    .map((name) => ({ name, nearest: nearestTo(name, known) }))
}

const firstWord = (name: string) => name.slice(0, name.indexOf('_') + 1)

function strangersIn(environment: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const names = new Set(known)
  return Object.keys(environment).filter((name) => !names.has(name))
}

function isAlike(name: string, other: string): boolean {
  // Most names are told apart by their length, which costs nothing.
  return Math.abs(name.length - other.length) <= maxTypos && distance(name, other) <= maxTypos
}

/** Kubernetes tells each container the address of every service, under names made from that of the service. */
function isServiceLink(name: string, value = ''): boolean {
  return /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP)/.test(name) || /^(tcp|udp):\/\//.test(value)
}

function nearestTo(name: string, known: readonly string[]): string {
  const distances = known.map((other) => ({ other, far: distance(name, other) }))
  return distances.reduce((best, next) => (next.far < best.far ? next : best)).other
}

/** Letters to insert, remove or replace, or neighbours to swap, to make one of the other. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const at = (line: readonly number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next.push(
        Math.min(
          at(last, column) + 1,
          at(next, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = last
    last = next
  }
  return last.at(-1) ?? 0
}
