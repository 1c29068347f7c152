import { expect, test } from 'vitest'
import { findWrites, type Known, ownersOf, type Source } from './table-owners.ts'

const nothingKnown: Known = { otherWriters: {}, forAllModules: {}, withoutWriter: {} }

const schema = `
CREATE FUNCTION public.append_entries(p_at bigint DEFAULT NULL::bigint) RETURNS bigint
CREATE FUNCTION public.count_replies() RETURNS void

CREATE TABLE public.entries (
CREATE TABLE public.threads (
CREATE TABLE public.users (
`
const append: Source = {
  path: 'functions/log/append_entries.sql',
  text: `create or replace function append_entries() returns void language plpgsql as $$
begin
  -- Not that it would delete from users.
  insert into entries (seq) values (1)
  on conflict do update set seq = 2;
  perform count_replies();
end
$$;`,
}
const counting: Source = {
  path: 'functions/messages/count_replies.sql',
  text: 'create or replace function count_replies() as $$ update threads as t set replies = 1 $$;',
}
const functions = [append, counting]
const users: Source = {
  path: 'domain/users/users.sql.ts',
  text: 'sql`select 1 from users for update of users`; sql`insert into users (uid) values (1)`',
}

function look(sources: readonly Source[], known: Partial<Known> = {}, tables = schema) {
  const all = { ...nothingKnown, ...known }
  const found = findWrites(tables, [...functions, ...sources], all)
  const { rows, problems } = ownersOf(found, all)
  return {
    owners: Object.fromEntries(rows.map(({ table, owner }) => [table, owner])),
    problems: [...found.problems, ...problems],
  }
}

test('a table is owned by the module whose statements or functions write it', () => {
  expect(look([users])).toEqual({
    owners: { entries: 'log', threads: 'messages', users: 'users' },
    problems: [],
  })
})

test.each([
  ['insert', 'insert into users (uid) values (1)'],
  ['delete', 'DELETE FROM only public.users where true'],
  ['update', 'update users set name = null'],
  ['update under another name', 'update users as u\n    set name = null'],
  ['truncate', 'truncate table users'],
  ['merge', 'merge into users using w on true when matched then delete'],
])('a second writer of a table is named: %s', (_, statement) => {
  const groups = { path: 'domain/groups/groups.sql.ts', text: `sql\`${statement}\`` }
  expect(look([users, groups]).problems).toEqual([
    expect.stringMatching(/^users is written by .*groups \(domain\/groups\/groups\.sql\.ts\)/),
  ])
})

test('a second writer is named that writes by an SQL function', () => {
  const groups = { path: 'domain/groups/threads.sql.ts', text: 'sql`delete from threads`' }
  expect(look([users, groups]).problems).toEqual([
    expect.stringMatching(
      /^threads is written by messages \(functions\/messages\/count_replies\.sql\)/,
    ),
  ])
})

test('a second writer is named that writes a list of tables', () => {
  const text = `for (const table of ['users']) sql\`delete from \${sql.table(table)}\``
  const erasing = { path: 'domain/groups/erasing.sql.ts', text }
  expect(look([users, erasing]).problems).toEqual([
    expect.stringContaining('groups (domain/groups/erasing.sql.ts)'),
  ])
})

test.each([
  ['its parameter', `sql\`update \${sql.table(table)} set seq = 1\``, 'whose name it does not say'],
  ['no table', 'sql`delete from friends`', 'writes friends, which is no table'],
])('a file that writes %s is named', (_, text, problem) => {
  const file = { path: 'domain/groups/erasing.sql.ts', text }
  expect(look([users, file]).problems).toEqual([expect.stringContaining(problem)])
})

test.each([
  ['a rule', 'CREATE RULE r AS ON INSERT TO public.users DO NOTHING;', 'has a rule'],
  ['a function without a file', 'CREATE FUNCTION public.f() RETURNS void', 'f() has no file'],
])('a schema with %s is refused: it hides what it writes', (_, text, problem) => {
  expect(look([users], {}, `${schema}\n${text}\n`).problems).toEqual([
    expect.stringContaining(problem),
  ])
})

test('a function that executes text is refused: it hides what it writes', () => {
  const path = 'functions/users/f.sql'
  expect(look([users, { path, text: "begin execute 'x'; end" }]).problems).toEqual([
    `${path} executes text: write its statements out`,
  ])
})

test('a known exception passes, and fails once it is none any more', () => {
  const groups = { path: 'domain/groups/threads.sql.ts', text: 'sql`delete from threads`' }
  const otherWriters = { threads: { [groups.path]: 'forgets a group' } }
  expect(look([users, groups], { otherWriters })).toMatchObject({
    owners: { threads: 'messages' },
    problems: [],
  })
  expect(look([users], { otherWriters }).problems).toEqual([
    expect.stringContaining(`threads, ${groups.path}: no exception any more`),
  ])
  const stale = { withoutWriter: { users: '' }, forAllModules: { 'domain/users/users.sql.ts': '' } }
  expect(look([users], stale).problems).toEqual([
    expect.stringContaining('domain/users/users.sql.ts computes no name of a table'),
    expect.stringContaining('users: no exception any more'),
  ])
})
