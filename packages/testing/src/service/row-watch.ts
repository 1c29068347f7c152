import pg from 'pg'

/** Tells how often rows of an app were written: the same number, the same rows. */
export interface RowWatch extends AsyncDisposable {
  writesTo(appId: string): Promise<number>
  /** Of each write so far, its table; a partition counts as its table. */
  tables(): Promise<string[]>
}

/** Triggers of this one database count: to read all rows after each call takes ten times as long. */
export async function watchRows(databaseUrl: string): Promise<RowWatch> {
  // No pool: its end does not wait for the socket, and the database is dropped right after.
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(onEveryTable)
  return {
    async writesTo(appId) {
      const text = 'select count(*)::int as n from watch.writes where app = $1'
      const { rows } = await client.query<{ n: number }>({ name: 'n', text, values: [appId] })
      return rows[0]?.n ?? 0
    },
    async tables() {
      const text = 'select name from watch.writes order by nth'
      const { rows } = await client.query<{ name: string }>(text)
      return rows.map(({ name }) => name)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

const onEveryTable = `
  create schema watch;
  create unlogged table watch.writes (
    nth bigint generated always as identity, app text not null, name text not null);
  create index on watch.writes (app);

  create function watch.write() returns trigger language plpgsql as $$
  begin
    insert into watch.writes (app, name) values (coalesce(new.app_id, old.app_id), tg_argv[0]);
    if new.app_id <> old.app_id then
      insert into watch.writes (app, name) values (old.app_id, tg_argv[0]);
    end if;
    return null;
  end $$;

  do $$
  declare name text;
  begin
    for name in select relname from pg_class
                join pg_attribute on attrelid = pg_class.oid and attname = 'app_id'
                where relnamespace = 'public'::regnamespace
                  and relkind in ('r', 'p') and not relispartition loop
      execute format('create trigger watch after insert or update or delete on %I
                      for each row execute function watch.write(%L)', name, name);
    end loop;
  end $$`
