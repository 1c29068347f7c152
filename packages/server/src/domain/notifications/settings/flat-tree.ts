/** A tree of settings as it is stored: the path of each leaf, such as `sound.chat`, with its value. */
export type FlatTree = Readonly<Record<string, unknown>>

/** What a change says of the tree, leaf by leaf. What the tree does not have is left out. */
export function flattened(tree: object, change: object, prefix = ''): FlatTree {
  const leaves = Object.entries(change).flatMap(([name, value]) => {
    const known: unknown = Object.hasOwn(tree, name) ? Reflect.get(tree, name) : undefined
    const path = prefix + name
    if (known === undefined) return []
    if (isBranch(known)) return Object.entries(flattened(known, value, `${path}.`))
    return [[path, value]]
  })
  return Object.fromEntries(leaves)
}

/** The tree with those leaves in it that are stored. */
export function overlaid<T extends object>(tree: T, stored: FlatTree, prefix = ''): T {
  const entries = Object.entries(tree).map(([name, value]) => {
    const path = prefix + name
    if (isBranch(value)) return [name, overlaid(value, stored, `${path}.`)]
    return [name, Object.hasOwn(stored, path) ? stored[path] : value]
  })
  // The same names; what is stored under them came through the contract of the same tree.
  return Object.fromEntries(entries) as T
}

/** An empty object is a leaf: one that the app fills as it likes. */
function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
