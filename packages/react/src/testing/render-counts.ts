// Counts which components render. Loaded before React, which tells it of every commit.

interface Fiber {
  readonly tag: number
  readonly type: unknown
  readonly flags: number
  readonly child: Fiber | null
  readonly sibling: Fiber | null
  readonly alternate: Fiber | null
}

const performedWork = 1
/** Functions, classes, forwarded refs and memos. */
const components = new Set([0, 1, 11, 14, 15])
let counts: Record<string, number> = {}

function nameOf(type: unknown): string {
  if (typeof type === 'function') return type.name
  return nameOf(Object(type).type ?? Object(type).render ?? (() => undefined))
}

function count(fiber: Fiber, before: Fiber | null): void {
  if (components.has(fiber.tag) && fiber.flags & performedWork) {
    const name = nameOf(fiber.type)
    counts[name] = (counts[name] ?? 0) + 1
  }
  // Children that nobody has touched are the same objects, with the flags of an earlier commit.
  if (before && fiber.child === before.child) return
  for (let child = fiber.child; child; child = child.sibling) count(child, child.alternate)
}

Object.assign(globalThis, {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    renderers: new Map(),
    inject: () => 1,
    onCommitFiberUnmount: () => undefined,
    onCommitFiberRoot(_id: number, { current }: { current: Fiber }) {
      count(current, current.alternate)
    },
  },
})

/** By component, since the last call. */
export function takeRenderCounts(): Record<string, number> {
  const taken = counts
  counts = {}
  return taken
}
