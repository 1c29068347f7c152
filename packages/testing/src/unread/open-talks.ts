import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { seeded } from '../seeded.ts'
import type { TestApp } from '../service/test-app.ts'
import { join } from './draw-members.ts'
import { sendText } from './draw-messages.ts'
import { perform, type Rules, type Talk } from './talk.ts'
import { TalkModel } from './talk-model.ts'

/** All of two digits, so that the smaller number comes first in a label. */
const uids = Array.from({ length: 50 }, (_, n) => `u${n + 10}`)
const founding = 15

/** The conversations of a run, and who takes part in them. */
export interface Fixture {
  readonly client: Client<Api>
  readonly uids: readonly string[]
  readonly talks: readonly Talk[]
  readonly rules: Rules
}

/** 50 users, 10 conversations of two and 10 groups; the groups with a third of the users each. */
export async function openTalks(app: TestApp, seed: string): Promise<Fixture> {
  const client = app.as('full')
  const many = { 'rateLimits.standard': 1_000_000_000, 'rateLimits.core': 1_000_000_000 }
  await client.mapAppSettings({ params: { appId: app.appId }, body: { settings: many } })
  await Promise.all(uids.map((uid) => app.given.user(uid)))
  const rules: Rules = { groupActions: true, messageActions: false }
  const common = (label: string) => {
    const random = seeded(`${seed} ${label}`)
    return { label, client, model: new TalkModel(), random, rules }
  }
  const numbers = Array.from({ length: 10 }, (_, n) => n + 10)
  const talks = await Promise.all([
    // u10 with u11, u11 with u12, ...: most of these have two.
    ...numbers.map((n) => openPair(common(`u${n}_user_u${n + 1}`), [`u${n}`, `u${n + 1}`])),
    ...numbers.map((n) => openGroup(common(`group_g${n}`), `g${n}`)),
  ])
  return { client, uids, talks, rules }
}

type Common = Omit<Talk, 'between' | 'crowd'>

/** Before the first message there is nothing to mark. */
async function openPair(common: Common, sides: readonly [string, string]): Promise<Talk> {
  const talk: Talk = { ...common, between: { kind: 'user', uids: sides }, crowd: sides }
  for (const uid of sides) talk.model.arrive(uid)
  await perform(sendText(talk))
  return talk
}

async function openGroup(common: Common, guid: string): Promise<Talk> {
  const { client, model, random } = common
  const owner = random.pick(uids)
  await client.createGroup({ body: { guid, name: guid, type: 'public', owner } })
  model.arrive(owner)
  const between = { kind: 'group', guid, owner } as const
  const talk: Talk = { ...common, between, crowd: uids }
  while (model.places.size < founding) await perform(join(talk))
  return talk
}
