import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** Which id the old side has given to each message that was written on the new one, in a file. */
export class Given {
  readonly #path: string
  readonly #mark: number
  readonly #ids = new Map<string, string>()

  /** Up to the mark, both sides have the same ids. */
  constructor(path: string, mark: number) {
    this.#path = path
    this.#mark = mark
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    for (const line of text.split('\n').slice(0, -1)) {
      const [id, there] = line.split(' ')
      if (id && there) this.#ids.set(id, there)
    }
  }

  /** On the old side. */
  idOf(id: string | undefined): string | undefined {
    if (id === undefined) return undefined
    return Number(id) <= this.#mark ? id : this.#ids.get(id)
  }

  add(pairs: readonly (readonly [id: string, there: string])[]): void {
    const fresh = pairs.filter(([id]) => !this.#ids.has(id))
    if (fresh.length === 0) return
    appendFileSync(this.#path, fresh.map(([id, there]) => `${id} ${there}\n`).join(''))
    for (const [id, there] of fresh) this.#ids.set(id, there)
  }
}
