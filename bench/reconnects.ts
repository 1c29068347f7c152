import type { Bench } from './harness/context.ts'
import { loadConversations } from './harness/conversations.ts'
import { loadTokens } from './harness/devices.ts'
import { rounded } from './harness/figures.ts'
import { pacedSends } from './harness/paced.ts'
import { storm } from './harness/storm.ts'

const sockets = 10_000
const perSecond = 100
const sendingSeconds = 20

export const bench: Bench = {
  name: 'reconnects',
  summary: 'one of two gateways is killed: 5,000 of 10,000 devices come back while others send',
  async run(ctx) {
    const { seconds = sendingSeconds } = ctx.options
    const database = await ctx.freshDatabase()
    const quiet = { GATEWAY_HEARTBEAT_MS: '3600000' }
    const { api, gateways } = await ctx.serveApart(database.url, 2, quiet)
    await loadConversations(database.query, [api.appId])
    const authTokens = await loadTokens(database.query, ctx.vault, api.appId, sockets)
    ctx.say(`letting ${sockets} devices in`)
    const [, victim] = gateways
    if (!victim) throw new Error('Two gateways were asked for.')
    const origins = gateways.map(({ origin }) => origin)
    const order = { appId: api.appId, gateways: origins, authTokens }
    const { lost, backSeconds, sends, wrong, reloads } = await storm(order, () => {
      ctx.say('killing one of two gateways')
      process.kill(victim.pid, 'SIGKILL')
      return pacedSends(api, { perSecond, seconds })
    })
    const took = rounded(backSeconds, 1)
    const p99Ms = rounded(sends.p99Ms, 0)
    return {
      tables: [
        {
          title: `${sockets} devices at two gateways, one of which is killed`,
          rows: [
            {
              What: 'storm',
              lost,
              'back after s': took,
              'sends/s': perSecond,
              'p50 ms': rounded(sends.p50Ms, 1),
              'p99 ms': p99Ms,
              reloads,
            },
          ],
        },
      ],
      goals: [
        { what: 'seconds until the last had all it missed', value: took, atMost: 60 },
        { what: 'p99 ms of sends meanwhile', value: p99Ms, atMost: 500 },
        { what: 'messages lost, doubled or out of order', value: wrong, atMost: 0 },
        { what: 'devices that lost their place', value: lost, atLeast: sockets / 2 },
      ],
      notes: ['Devices wait as those of the SDK do: up to 1 s, then up to 2 s, and so on.'],
      figures: { backSeconds: took, p99Ms, lost, wrong, reloads },
    }
  },
}
