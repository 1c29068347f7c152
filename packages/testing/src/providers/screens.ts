/** What devices would show: under one tag, the last payload; without a tag, each by itself. */
export interface Screens {
  show(token: string, tag: string | undefined, payload: unknown): void
  /** Of one device, in the order in which they first came. */
  on(token: string): readonly Shown[]
}

interface Shown {
  readonly tag: string | undefined
  /** How many requests for it were accepted. */
  readonly count: number
  readonly payload: unknown
}

export function openScreens(): Screens {
  const screens = new Map<string, Shown[]>()
  return {
    show(token, tag, payload) {
      const screen = screens.get(token) ?? []
      screens.set(token, screen)
      const at = tag === undefined ? -1 : screen.findIndex((shown) => shown.tag === tag)
      const count = (screen[at]?.count ?? 0) + 1
      screen.splice(at < 0 ? screen.length : at, 1, { tag, count, payload })
    },
    on: (token) => screens.get(token) ?? [],
  }
}
