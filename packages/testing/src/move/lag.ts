import pg from 'pg'

/** How long it took until each message of the old side was on the new one. */
export interface Lag extends AsyncDisposable {
  /** In milliseconds, of those that have arrived. */
  readonly seen: readonly number[]
  /** That have not. */
  waiting(): number
}

const everyMs = 100

/** Looks into the database of the new side for messages whose times are known by id. */
export async function watchLag(
  databaseUrl: string,
  appId: string,
  sentAt: ReadonlyMap<string, number>,
  since: number,
): Promise<Lag> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const seen: number[] = []
  const arrived = new Set<string>()
  const pending = () =>
    [...sentAt].filter(([id, at]) => at >= since && !arrived.has(id)).map(([id]) => id)
  let looking: Promise<void> = Promise.resolve()
  const look = async () => {
    const ids = pending()
    if (ids.length === 0) return
    const text = 'select id::text from entries where app_id = $1 and id = any($2::bigint[])'
    const { rows } = await client.query<{ id: string }>(text, [appId, ids])
    const now = Date.now()
    for (const { id } of rows) {
      arrived.add(id)
      seen.push(now - (sentAt.get(id) ?? now))
    }
  }
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, everyMs)
  return {
    seen,
    waiting: () => pending().length,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
      await client.end()
    },
  }
}
