import type { Bench } from './harness/context.ts'
import { type Storm, underAttack } from './harness/hostile/storm.ts'

export const storm: Storm = {
  title: 'a hostile tenant',
  atMost: 2,
  attack: ({ appId, apiKey, guid, uids }) => ({ by: 'tenant', appId, apiKey, guid, uids }),
}

export const bench: Bench = {
  name: 'hostile-tenant',
  summary: "a full-access key asks for all that is expensive: a neighbour's sends",
  run: (ctx) => underAttack(ctx, storm),
}
