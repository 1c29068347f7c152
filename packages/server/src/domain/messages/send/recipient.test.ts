import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { openProfileLoader } from '../../views/index.ts'
import type { Outgoing } from './content.ts'
import { type Directory, openDirectory, type Recipient, resolveRecipient } from './recipient.ts'
import { openTargets } from './targets.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const full = app.as('full')
const ample = 1_000_000

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid')
  for (const receiver of ['bob', 'cid']) {
    const body = { receiver, receiverType: 'user', data: { text: 'Hello' } } as const
    await full.sendMessage({ onBehalfOf: 'ann', body })
  }
})

const open = (maxBytes: number) => openDirectory(openTargets(db), openProfileLoader(db), maxBytes)

/** What this step reads of a message. */
const message = (from: string, to: string) =>
  ({
    ctx: {
      recalled: true,
      db: { appId, db },
      caller: { kind: 'key', versions: { app: 1, actor: undefined } },
    },
    sender: { uid: from, actor: undefined },
    to: { type: 'user', id: to },
    content: { mentions: [] },
  }) as unknown as Outgoing

const resolve = async (directory: Directory, from: string, to: string): Promise<Recipient> =>
  resolveRecipient(directory, message(from, to))

/** Only what is remembered has a version to compare. */
const isRecalled = ({ expected }: Recipient) => expected?.receiver !== undefined

test('a receiver is remembered, and a user who writes to two takes their room once', async () => {
  const directory = open(ample)
  for (const to of ['bob', 'cid'])
    expect(isRecalled(await resolve(directory, 'ann', to))).toBe(false)
  const ann = directory.users.get(appId, 'ann')
  for (const to of ['bob', 'cid']) {
    const again = await resolve(directory, 'ann', to)
    expect(isRecalled(again)).toBe(true)
    expect(again.receiver).toEqual({ kind: 'user', uids: ['ann', to] })
    const [sender] = (await again.profiles().find(shown(to), undefined)).users
    expect(sender).toBe(ann?.row)
  }
})

test('a receiver is looked up when one of the two is remembered with another version', async () => {
  const directory = open(ample)
  await resolve(directory, 'ann', 'bob')
  await full.updateUser({ params: { uid: 'ann' }, body: { name: 'Anna' } })
  await resolve(directory, 'ann', 'cid')
  const again = await resolve(directory, 'ann', 'bob')
  expect(isRecalled(again)).toBe(false)
  const { users } = await again.profiles().find(shown('bob'), undefined)
  expect(users.map(({ name }) => name)).toEqual(['Anna', 'BOB'])
})

test('a receiver is looked up when there is no room for the users', async () => {
  const directory = open(1500)
  for (let n = 0; n < 2; n++) {
    const recipient = await resolve(directory, 'ann', 'bob')
    expect(isRecalled(recipient)).toBe(false)
    expect(recipient.conversation).toBeDefined()
  }
})

function shown(to: string) {
  return { uids: ['ann', to], guids: [], blocks: false }
}
