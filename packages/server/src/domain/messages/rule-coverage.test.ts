import { existsSync, readFileSync } from 'node:fs'
import { allOperations } from '@chorale/contract/api'
import { clientFrames } from '@chorale/contract/frames'
import {
  type RuleName,
  ruleCoverage,
  ruleNames,
  type Stopped,
  withoutWords,
} from '@chorale/contract/rule-coverage'
import { afterAll, expect, test } from 'vitest'
import { answer } from '../../../../testing/src/network/receiver.ts'
import { startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'

// Every cell of the table in the contract: the call goes through, then a rule forbids it, and the
// same call is stopped as the table says.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { app, full, oldHook } = stack.use(await startWebhookFixture())
const { message } = app.given

const secret = 'CONFIDENTIAL'
const drop = answer(200, '{"action":"do_not_propagate"}')
await oldHook('dlp', ['before_message'], {
  behave: (response, received) =>
    (received.text.includes(secret) ? drop : answer(200, '{}'))(response, received),
})
await full.createRule({
  body: { id: 'spam', conditions: [{ value: 'spam' }], action: ['blockMessage'] },
})
await app.given.users('guest')
// Gates are read anew now and then; what follows needs this one.
test('H5: the webhook of these scenes is asked', async () => {
  await expect
    .poll(async () => {
      const said = message('guest', 'app_system', { data: { text: secret } })
      return said.then(
        () => 'stored',
        ({ code }) => code,
      )
    })
    .toBe('ERR_BLOCKED_BY_WEBHOOK')
})

/** A user, somebody else, and a conversation of the two. */
interface Scene {
  readonly me: string
  readonly other: string
  /** Undefined: between the two. */
  readonly guid: string | undefined
  /** Messages of each, and a form of the other. */
  readonly own: string
  readonly theirs: string
  readonly form: string
}

const inGroups: readonly string[] = ['membership', 'ban', 'scope']
const ofGroups: readonly string[] = ['createGroup', 'updateGroup', 'addMembers']
let made = 0

async function sceneFor(call: string, rule: RuleName): Promise<Scene> {
  const nth = made++
  const [me, other] = [`me${nth}`, `other${nth}`]
  const guid = inGroups.includes(rule) || ofGroups.includes(call) ? `group${nth}` : undefined
  await app.given.users(me, other)
  if (guid) await app.given.group(guid, { owner: other, members: { admins: [me] } })
  const to = guid ? ({ receiverType: 'group' } as const) : {}
  const own = await message(me, guid ?? other, to)
  const theirs = await message(other, guid ?? me, to)
  const form = await message(other, guid ?? me, {
    ...to,
    category: 'interactive',
    type: 'form',
    data: { interactiveData: { formFields: [{ elementId: 'yes' }] } },
  })
  return { me, other, guid, own: own.id, theirs: theirs.id, form: form.id }
}

/** One call of the table, in a scene and with these words. */
type Act = (scene: Scene, words: string) => Promise<unknown>

const receiverOf = ({ guid, other }: Scene) =>
  guid
    ? ({ receiver: guid, receiverType: 'group' } as const)
    : ({ receiver: other, receiverType: 'user' } as const)

const acts: Readonly<Record<string, Act>> = {
  sendMessage: (scene, text) =>
    full.sendMessage({ onBehalfOf: scene.me, body: { ...receiverOf(scene), data: { text } } }),
  replyToMessage: ({ me, theirs }, text) =>
    full.replyToMessage({ params: { id: theirs }, onBehalfOf: me, body: { data: { text } } }),
  editMessage: ({ me, own }, text) =>
    full.editMessage({ params: { id: own }, onBehalfOf: me, body: { data: { text } } }),
  addReaction: ({ me, theirs }, reaction) =>
    full.addReaction({ params: { id: theirs, reaction }, onBehalfOf: me }),
  addReactionInBody: ({ me, theirs }, reaction) =>
    full.addReactionInBody({ params: { id: theirs }, onBehalfOf: me, body: { reaction } }),
  pinMessage: ({ me, theirs }) => full.pinMessage({ params: { id: theirs }, onBehalfOf: me }),
  markInteracted: ({ me, form }) =>
    full.markInteracted({ params: { id: form }, onBehalfOf: me, body: { interactions: ['yes'] } }),
  createGroup: ({ me }, name) =>
    full.createGroup({ onBehalfOf: me, body: { guid: `new${made++}`, name, type: 'public' } }),
  updateGroup: ({ me, guid = '' }, name) =>
    full.updateGroup({ params: { guid }, onBehalfOf: me, body: { name } }),
  addMembers: ({ me, guid = '' }) =>
    full.addMembers({ params: { guid }, onBehalfOf: me, body: { participants: ['guest'] } }),
  updateMe: async ({ me }, name) => (await app.device(me)).calls.updateMe({ body: { name } }),
  sendBotMessage: (scene, text) =>
    full.sendBotMessage({
      params: { uid: scene.me },
      body: { ...receiverOf(scene), data: { text }, category: 'message', type: 'text' },
    }),
}

/** Roles that may do less; an app has at most 25. */
const less = { denied: 'denied', friendly: 'friendly', mute: 'mute', alone: 'alone' } as const
for (const role of Object.values(less)) await app.given.role(role)
const permit = (role: string, permissions: Record<string, string>) =>
  full.setRolePermissions({ params: { role }, body: { permissions } })
const restrict = (role: string, ...featuresToRestrict: string[]) =>
  full.restrictFeatures({ params: { role }, body: { featuresToRestrict } })
await permit(less.denied, { sendMessage: 'deny', createGroup: 'deny' })
await permit(less.friendly, { 'sendMessage.mode': 'friends' })
await restrict(less.mute, 'createMessage')
await restrict(less.alone, 'createGroup', 'updateGroup', 'addMember')

const becomes = (role: string, { me }: Scene) =>
  full.updateUser({ params: { uid: me }, body: { role } })

const demoted = 'participant'

/** What makes a rule forbid it. */
const forbids: Readonly<Record<RuleName, (scene: Scene, call: string) => Promise<unknown>>> = {
  blockedByReceiver: ({ me, other }) =>
    full.blockUsers({ params: { uid: other }, body: { blockedUids: [me] } }),
  blockedByUser: ({ me, other }) =>
    full.blockUsers({ params: { uid: me }, body: { blockedUids: [other] } }),
  membership: ({ me, guid = '' }) => full.kickMember({ params: { guid, uid: me } }),
  ban: ({ me, guid = '' }) => full.banUser({ params: { guid, uid: me } }),
  async scope({ me, guid = '' }) {
    await full.changeMemberScope({ params: { guid, uid: me }, body: { scope: demoted } })
    const permissions = { sendMessage: 'deny', addReaction: 'deny' }
    await full.setScopePermissions({ params: { guid, scope: demoted }, body: { permissions } })
  },
  role: (scene) => becomes(less.denied, scene),
  feature: (scene, call) => becomes(ofGroups.includes(call) ? less.alone : less.mute, scene),
  friends: (scene) => becomes(less.friendly, scene),
  // These look at the words.
  moderation: async () => undefined,
  gate: async () => undefined,
  size: async () => undefined,
}

const wordsFor: Partial<Readonly<Record<RuleName, string>>> = {
  moderation: 'buy spam',
  gate: secret,
  size: 'x'.repeat(11_000),
}

/** `ok`, `withheld` or the code. */
async function outcomeOf(act: Promise<unknown>): Promise<Stopped | 'ok'> {
  try {
    return JSON.stringify(await act).includes('"status":"disapproved"') ? 'withheld' : 'ok'
  } catch (error) {
    return (error as { code: Stopped }).code
  }
}

const cases = Object.entries(ruleCoverage).flatMap(([call, row]) =>
  // By its keys: the type of `Object.keys` is wider.
  (Object.keys(ruleNames) as RuleName[]).flatMap((rule) => {
    const cell = row[rule]
    return 'answers' in cell ? [{ call, rule, stopped: cell.answers }] : []
  }),
)

test.each(cases)('H5: $call is stopped by $rule: $stopped', async ({ call, rule, stopped }) => {
  const act = acts[call]
  if (!act) throw new Error(`Nobody knows how to call ${call}.`)
  const scene = await sceneFor(call, rule)
  expect(await outcomeOf(act(scene, 'hello'))).toBe('ok')
  await forbids[rule](scene, call)
  expect(await outcomeOf(act(scene, wordsFor[rule] ?? 'hello again'))).toBe(stopped)
})

test('H5: every call of a user that changes something is in the table, or says why not', () => {
  const calls = [...allOperations]
    .filter(([, { effect, device, onBehalfOf }]) => effect !== 'read' && (device ?? onBehalfOf))
    .map(([name]) => name)
  const known = new Set([...Object.keys(ruleCoverage), ...Object.keys(withoutWords)])
  expect(calls.filter((name) => !known.has(name))).toEqual([])
  const told = Object.keys(clientFrames).filter((name) => !['auth', 'call', 'ping'].includes(name))
  expect(told.filter((name) => !known.has(`frame ${name}`))).toEqual([])
  const frames = told.map((name) => `frame ${name}`)
  const names = new Set<string>([...allOperations.keys(), ...frames])
  expect([...known].filter((name) => !names.has(name))).toEqual([])
})

test('H5: a cell that names a test names one that is there, and a reason is a sentence', () => {
  for (const row of Object.values(ruleCoverage)) {
    for (const cell of Object.values(row)) {
      if ('because' in cell) expect(cell.because).toMatch(/^[A-Z0-9].{8,}\.$/)
      if (!('holds' in cell)) continue
      const file = new URL(`../../${cell.holds}`, import.meta.url)
      expect(existsSync(file) && readFileSync(file, 'utf8')).toContain(cell.test)
    }
  }
})
