import { expect, inject, test, vi } from 'vitest'
import { storedBatches } from '../../../../testing/src/engines/event-streams.ts'
import { chorale, choraleJson, settingsFor } from '../../../../testing/src/processes/program.ts'
import { connectNow } from '../../bus/bus.ts'
import { openDeadLetters } from '../../bus/dead-letters.ts'
import { openEventStream } from '../../bus/event-stream.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

test('replay --all hands in every dead letter again, and one or all must be named', async () => {
  // These commands have no use for a database.
  const settings = settingsFor('postgres://127.0.0.1:1/none')
  const prefix = settings.NATS_PREFIX ?? ''
  await using bus = await connectNow(inject('natsUrl'))
  const letters = openDeadLetters(openEventStream(bus, { prefix, hours: 1, replicas: 1 }))
  const uids = ['ann', 'bob', 'cid']
  for (const uid of uids) {
    const event = { id: uid, name: 'user.created', at: 1, payload: { uid } } as const
    const from = { listener: 'bad', subject: 'app.0.user', appId: 'app' }
    await letters.write({ ...from, event, error: 'no', at: 1 })
  }
  const unclear = await Promise.all([
    chorale(settings, 'dead-letters', 'replay'),
    chorale(settings, 'dead-letters', 'replay', '1', '--all'),
  ])
  for (const { code, stderr } of unclear) {
    expect([code, stderr]).toEqual([1, expect.stringContaining('or say --all')])
  }
  expect(await letters.list(10)).toHaveLength(3)
  expect(await choraleJson(settings, 'dead-letters', 'replay', '--all')).toEqual({ replayed: 3 })
  expect(await letters.list(10)).toEqual([])
  const batches = await storedBatches(inject('natsUrl'), prefix)
  expect(batches.flatMap(({ events }) => events.map(({ id }) => id))).toEqual(uids)
})
