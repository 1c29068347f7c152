import type { Bench } from './harness/context.ts'
import { underAttack } from './harness/hostile/storm.ts'

export const bench: Bench = {
  name: 'hostile-strangers',
  summary:
    "2,000 sockets, 500 wrong keys a second, resets, slow bodies, large headers: a neighbour's sends",
  run: (ctx) =>
    underAttack(ctx, {
      title: 'strangers',
      atMost: 3,
      attack: () => ({ by: 'strangers', sockets: 2000, wrongKeysPerSecond: 500 }),
    }),
}
