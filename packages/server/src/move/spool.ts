import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { differingIn } from './forms.ts'

export interface Difference {
  readonly kind: string
  readonly id: string
  /** Seen from the new side. */
  readonly what: 'missing' | 'extra' | 'differs'
  readonly fields?: readonly string[]
}

/** Compares two long lists in whatever order they come, in a file: memory stays small. */
export class Spool implements Disposable {
  readonly #path: string
  readonly #db: DatabaseSync

  constructor(path: string) {
    this.#path = path
    rmSync(path, { force: true })
    this.#db = new DatabaseSync(path)
    this.#db.exec(`
      pragma journal_mode = off; pragma synchronous = off;
      create table forms (id text primary key, form text not null) without rowid;
      create table names (id text primary key) without rowid`)
  }

  /** Kept once, however often it comes. */
  name(ids: Iterable<string>): void {
    const insert = this.#db.prepare('insert or ignore into names (id) values (?)')
    this.#db.exec('begin')
    for (const id of ids) insert.run(id)
    this.#db.exec('commit')
  }

  /** Those that were kept, some at a time. */
  *named(): Generator<string[]> {
    const next = this.#db.prepare('select id from names where id > ? order by id limit 64')
    for (let last = ''; ; ) {
      const ids = next.all(last).map(({ id }) => String(id))
      if (ids.length === 0) return
      yield ids
      last = ids.at(-1) ?? last
    }
  }

  /** What the old side has. */
  async put(pages: AsyncIterable<readonly (readonly [string, string])[]>): Promise<number> {
    const insert = this.#db.prepare('insert or replace into forms (id, form) values (?, ?)')
    let count = 0
    for await (const page of pages) {
      this.#db.exec('begin')
      for (const [id, form] of page) insert.run(id, form)
      this.#db.exec('commit')
      count += page.length
    }
    return count
  }

  /** What the new side has; then what is left was missing there. */
  async *take(
    kind: string,
    pages: AsyncIterable<readonly (readonly [string, string])[]>,
  ): AsyncGenerator<Difference> {
    const find = this.#db.prepare('select form from forms where id = ?')
    const remove = this.#db.prepare('delete from forms where id = ?')
    const seen = new Set<string>()
    for await (const page of pages) {
      this.#db.exec('begin')
      const found: Difference[] = []
      for (const [id, form] of page) {
        const before = find.get(id)?.form
        if (before === undefined) {
          if (!seen.has(id)) found.push({ kind, id, what: 'extra' })
        } else if (before !== form) {
          const fields = differingIn(String(before), form)
          found.push({ kind, id, what: 'differs', fields })
        }
        remove.run(id)
      }
      this.#db.exec('commit')
      // A list by pages may show one twice while it changes.
      seen.clear()
      for (const [id] of page) seen.add(id)
      yield* found
    }
    for (const row of this.#db.prepare('select id from forms order by id').iterate()) {
      yield { kind, id: String(row.id), what: 'missing' }
    }
    this.#db.exec('delete from forms')
  }

  [Symbol.dispose](): void {
    this.#db.close()
    rmSync(this.#path, { force: true })
  }
}
