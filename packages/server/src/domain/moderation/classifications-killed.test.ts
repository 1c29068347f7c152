import { expect, test } from 'vitest'
import type { Behaviour } from '../../../../testing/src/network/receiver.ts'
import { startServing } from '../../../../testing/src/processes/program.ts'
import {
  opinion,
  quick,
  startClassifierFixture,
} from '../../../../testing/src/rules/classifier-fixture.ts'

const wait = { timeout: 60_000, interval: 50 }

test('a worker that is killed with classifications in hand delivers nothing twice, and logs no secret', async () => {
  await using fixture = await startClassifierFixture(
    { ...quick, CLASSIFIER_TIMEOUT_MS: '1000' },
    'elsewhere',
  )
  const { app, full } = fixture
  await app.given.users('ann', 'bob')
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const silent: Behaviour = () => resolve()
  const list = { username: 'ada', password: 'never-to-be-logged' }
  const classifier = await fixture.classifier('slow', { behave: silent, list })
  const settings = { ...fixture.settings, LOG_LEVEL: 'trace' }
  await using first = await startServing(settings, '--parts', 'worker')
  const texts = ['one', 'two', 'three']
  for (const text of texts) await app.given.message('ann', 'bob', { muid: text, data: { text } })
  await asked
  first.signal('SIGKILL')
  await first.ended
  classifier.behave = (response, received) => {
    const status = JSON.stringify(received.body).includes('"two"') ? 500 : 200
    if (status === 500) response.writeHead(status).end()
    else opinion(false)(response, received)
  }
  await using second = await startServing(settings, '--parts', 'worker')
  const heard = async () => {
    const { data } = await full.listUserMessages({ onBehalfOf: 'bob', params: { uid: 'ann' } })
    return data.flatMap((one) => ('data' in one ? [one.data.text] : []))
  }
  await expect.poll(heard, wait).toEqual(texts)
  // A classifier that fails is told of, but not with what.
  await second.said('a moderation classifier failed to answer')
  const said = first.output() + second.output()
  expect(said).not.toContain('never-to-be-logged')
  expect(said).not.toContain(Buffer.from('ada:never-to-be-logged').toString('base64'))
}, 120_000)
