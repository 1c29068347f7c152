import type { Bench } from './harness/context.ts'
import { type Storm, underAttack } from './harness/hostile/storm.ts'

export const storm: Storm = {
  title: 'strangers',
  atMost: 3,
  attack: () => ({ by: 'strangers', sockets: 2000, wrongKeysPerSecond: 500 }),
}

export const bench: Bench = {
  name: 'hostile-strangers',
  summary:
    "2,000 sockets, 500 wrong keys a second, resets, slow bodies, large headers: a neighbour's sends",
  run: (ctx) => underAttack(ctx, storm),
}
