import type { Bench } from './harness/context.ts'
import { type Storm, underAttack } from './harness/hostile/storm.ts'

export const storm: Storm = {
  title: 'a hostile device',
  atMost: 2,
  attack: ({ appId, guid, passwordGroup, tokens }) => ({
    by: 'device',
    appId,
    guid,
    passwordGroup,
    authToken: tokens[0] ?? '',
    listeners: tokens.slice(1),
  }),
}

export const bench: Bench = {
  name: 'hostile-device',
  summary: "one auth token asks for all that is expensive: a neighbour's sends",
  run: (ctx) => underAttack(ctx, storm),
}
