import { createHash } from 'node:crypto'

/** Any way to run a statement: the load does not care whose connection it is. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>

const firstNames =
  'Ada,Amir,Ana,Anna,Bela,Bo,Carla,Chen,Dana,Diego,Elif,Emma,Eva,Farid,Fatima,Finn,Gita,Hana,' +
  'Hugo,Ines,Ivan,Jana,Jan,Jonas,Kaito,Karim,Lea,Lena,Li,Luca,Maria,Marta,Mei,Mia,Mohamed,Nadia,' +
  'Nina,Noah,Olga,Omar,Paula,Priya,Quentin,Rana,Ravi,Rosa,Sami,Sara,Sofia,Tariq,Tomas,Uma,' +
  'Vera,Wei,Xenia,Yusuf,Zoe'
const lastNames =
  'Abe,Ali,Bauer,Becker,Bruno,Chan,Costa,Diaz,Dubois,Ek,Ferrari,Fischer,Garcia,Gupta,Haas,Hansen,' +
  'Ito,Ivanov,Jansen,Kaya,Khan,Kim,Klein,Kumar,Lang,Lopez,Martin,Meyer,Moreau,Nagy,Nguyen,Novak,' +
  'Okafor,Ortiz,Park,Patel,Popov,Qureshi,Rossi,Ruiz,Sato,Schmidt,Silva,Singh,Smith,Suzuki,Tanaka,' +
  'Torres,Umar,Varga,Vogel,Wagner,Wang,Weber,Wong,Xu,Yilmaz,Young,Zhang,Zimmer'

/** Roles and tags of the crowd, from what nearly all have to what hardly anybody has. */
export const crowd = {
  roles: { common: 'default', some: 'agent', rare: 'auditor' },
  tags: { common: 'newsletter', some: 'beta', rare: 'founder' },
  uidPrefix: 'u-',
} as const

/** The uid of the nth user: hashed, so that neighbours in time are strangers in every index. */
export function uidOf(n: number): string {
  return crowd.uidPrefix + createHash('md5').update(String(n)).digest('hex').slice(0, 16)
}

const uidOfN = `'${crowd.uidPrefix}' || substr(md5(n::text), 1, 16)`

/**
 * Fills an app with users past the API, a hundred thousand in about five seconds: 1 in 20 is deactivated,
 * 3 in 10 have tags, 4 in 10 have ever been seen, 1 in 100 of those is online.
 */
export async function loadUsers(query: Query, appId: string, count: number): Promise<void> {
  const { roles, tags } = crowd
  await query(
    `insert into roles (app_id, role, name, created_at)
     select $1, role, initcap(role), 1700000000 from unnest($2::text[]) as role
     on conflict do nothing`,
    [appId, Object.values(roles)],
  )
  await query(
    `insert into users (app_id, uid, name, sort_name, avatar, role, metadata, tags, created_at,
                        deactivated_at)
     select $1, uid, name, lower(name), 'https://example.com/avatars/' || uid || '.png',
            case when n % 10000 = 7 then '${roles.rare}' when n % 50 = 7 then '${roles.some}'
                 else '${roles.common}' end,
            jsonb_build_object('email', uid || '@example.com', 'plan', n % 3),
            case when n % 100000 = 11 then array['${tags.rare}', '${tags.common}']
                 when n % 100 = 11 then array['${tags.some}', '${tags.common}']
                 when n % 10 < 3 then array['${tags.common}'] end,
            1700000000 + n, case when n % 20 = 19 then 1800000000 end
     from (
       select n, ${uidOfN} as uid,
              first[1 + abs(hashint8(n)) % cardinality(first)] || ' ' ||
              chr(65 + abs(hashint8(n + 7)) % 26) || '. ' ||
              last[1 + abs(hashint8(n + 31)) % cardinality(last)] as name
       from generate_series(1, $2::bigint) as n,
            (select string_to_array('${firstNames}', ',') as first,
                    string_to_array('${lastNames}', ',') as last) as names
     ) as person`,
    [appId, count],
  )
  await query(
    `insert into presence (app_id, uid, online, last_active_at)
     select $1, ${uidOfN}, n % 500 < 2, 1700000000 + n
     from generate_series(1, $2::bigint) as n where n % 5 < 2`,
    [appId, count],
  )
}

/**
 * Again while a transaction elsewhere, an automatic analyze for instance, is older than some rows:
 * index entries of their pages are not read without the table, and plans avoid such an index.
 */
export async function settleTables(query: Query): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await query('vacuum (analyze) users, presence, roles')
    try {
      await query(`do $$ begin
        if exists (select from pg_class
                   where relname in ('users', 'presence') and relallvisible < relpages)
        then raise exception 'Some pages are not visible to all.'; end if;
      end $$`)
      return
    } catch (error) {
      if (attempt === 100) throw error
    }
  }
}
