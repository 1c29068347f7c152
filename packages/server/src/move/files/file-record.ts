import { DatabaseSync } from 'node:sqlite'

/** `asked`: it has an upload, which waits for its bytes. `left`: it stays a link. */
type FileState = 'asked' | 'complete' | 'ready' | 'left'

export interface KnownFile {
  readonly state: FileState
  readonly uploadId: string
  /** Of one that stays a link. */
  readonly why: string
}

/** Whose file, and which: the same link of two users is brought for each. */
export interface FileKey {
  readonly sender: string
  readonly link: string
}

/**
 * Which messages have files to be moved, and what has become of each file; in a database beside the
 * state, because there may be very many. After a crash nothing that was brought is brought again.
 */
export class FileRecord {
  readonly #db: DatabaseSync

  constructor(path: string) {
    this.#db = new DatabaseSync(path)
    this.#db.exec(`
      pragma journal_mode = wal; pragma synchronous = normal;
      create table if not exists queue (id integer primary key, is_left integer not null default 0);
      create table if not exists files (
        sender text not null, link text not null, upload_id text not null, state text not null,
        why text not null default '', primary key (sender, link)) without rowid;
      create index if not exists files_by_upload on files (upload_id);
      create table if not exists scans (hosts text primary key) without rowid`)
  }

  queue(messageIds: readonly string[]): void {
    if (messageIds.length === 0) return
    const insert = this.#db.prepare(
      'insert into queue (id) values (?) on conflict (id) do update set is_left = 0',
    )
    this.#db.exec('begin')
    for (const id of messageIds) insert.run(Number(id))
    this.#db.exec('commit')
  }

  next(most: number): string[] {
    const rows = this.#db.prepare('select id from queue where is_left = 0 order by id limit ?')
    return rows.all(most).map(({ id }) => String(id))
  }

  /** All its files are there. */
  done(messageId: string): void {
    this.#db.prepare('delete from queue where id = ?').run(Number(messageId))
  }

  /** Some of its files stay links, unless they are tried again. */
  leave(messageId: string): void {
    this.#db.prepare('update queue set is_left = 1 where id = ?').run(Number(messageId))
  }

  retryLeft(): void {
    this.#db.exec(`delete from files where state = 'left'; update queue set is_left = 0`)
  }

  get waiting(): number {
    return Number(this.#db.prepare('select count(*) n from queue where is_left = 0').get()?.n)
  }

  find({ sender, link }: FileKey): KnownFile | undefined {
    const row = this.#db
      .prepare('select state, upload_id, why from files where sender = ? and link = ?')
      .get(sender, link)
    if (!row) return undefined
    // Only this class writes them.
    const state = String(row.state) as FileState
    return { state, uploadId: String(row.upload_id), why: String(row.why) }
  }

  save({ sender, link }: FileKey, { state, uploadId, why }: KnownFile): void {
    this.#db
      .prepare(
        'insert or replace into files (sender, link, upload_id, state, why) values (?,?,?,?,?)',
      )
      .run(sender, link, uploadId, state, why)
  }

  /** Which link an upload was. */
  linkOf(uploadId: string): string | undefined {
    const row = this.#db.prepare('select link from files where upload_id = ?').get(uploadId)
    return row && String(row.link)
  }

  count(state: FileState): number {
    const row = this.#db.prepare('select count(*) n from files where state = ?').get(state)
    return Number(row?.n)
  }

  /** False: messages were looked through for files of other hosts, or not yet. */
  isScanOf(hosts: string): boolean {
    return this.#db.prepare('select 1 from scans where hosts = ?').get(hosts) !== undefined
  }

  beginScan(hosts: string): void {
    this.#db.exec('delete from scans')
    this.#db.prepare('insert into scans (hosts) values (?)').run(hosts)
  }
}
