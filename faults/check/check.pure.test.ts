import { describe, expect, test } from 'vitest'
import { check, rules } from './check.ts'
import type { Observed } from './observed.ts'

const messages = [1, 2, 3, 4].map((n) => ({ id: n * 10, muid: `m${n}` }))
const sent = new Map(messages.map(({ id, muid }) => [muid, { conversation: 'team', id }]))
const received = messages.map(({ id }, nth) => ({ seq: nth + 1, id }))

const sound: Observed = {
  attempted: sent,
  acknowledged: sent,
  histories: [
    { conversation: 'team', reader: 'ann', messages },
    { conversation: 'team', reader: 'bob', messages },
  ],
  devices: [{ name: 'phone', conversation: 'team', received, reloaded: false }],
  unread: [{ user: 'ann', conversation: 'team', shown: 3, counted: 3 }],
  feed: [10, 30, 20, 30, 40],
  inFeed: ['team'],
  webhooks: messages.map(({ id }) => ({ conversation: 'team', id })),
  withWebhooks: ['team'],
  statistics: [{ app: 'one', shown: 4, stored: 4 }],
  searched: [{ id: 10, found: true }],
}

const everyReader = (list: typeof messages): Observed['histories'] =>
  ['ann', 'bob'].map((reader) => ({ conversation: 'team', reader, messages: list }))
const swapped = <T>([first, second, ...rest]: readonly T[]): T[] =>
  [second, first, ...rest].filter((each) => each !== undefined)
const [first = { id: 0, muid: '' }] = messages

/** What each rule is for, planted. */
const damages: Readonly<Record<string, Partial<Observed>>> = {
  lost: {
    histories: everyReader(messages.slice(0, 3)),
    devices: [],
    feed: [10, 20, 30],
    webhooks: [],
    withWebhooks: [],
  },
  doubled: {
    histories: everyReader([...messages, { id: 50, muid: 'm4' }]),
    devices: [],
    inFeed: [],
    withWebhooks: [],
  },
  'another id': { acknowledged: new Map(sent).set('m1', { conversation: 'team', id: 11 }) },
  'sent by nobody': { attempted: new Map([...sent].slice(1)) },
  order: { histories: everyReader(swapped(messages)) },
  'readers differ': {
    histories: [...sound.histories.slice(0, 1), ...everyReader(messages.slice(1)).slice(1)],
  },
  'device incomplete': {
    devices: [
      { name: 'phone', conversation: 'team', received: received.slice(0, 3), reloaded: false },
    ],
  },
  'device order': {
    devices: [
      { name: 'phone', conversation: 'team', received: swapped(received), reloaded: false },
    ],
  },
  unread: { unread: [{ user: 'ann', conversation: 'team', shown: 2, counted: 3 }] },
  'feed incomplete': { feed: [10, 20, 40] },
  'webhooks incomplete': { webhooks: sound.webhooks.slice(1) },
  statistics: { statistics: [{ app: 'one', shown: 5, stored: 4 }] },
  search: { searched: [{ id: first.id, found: false }] },
}

test('nothing is found where nothing is damaged', () => {
  expect(check(sound)).toEqual([])
})

test('a device that was told to reload may have missed messages, but not their order', () => {
  const device = { name: 'phone', conversation: 'team', reloaded: true }
  const late = { ...sound, devices: [{ ...device, received: received.slice(2) }] }
  expect(check(late)).toEqual([])
  const turned = { ...sound, devices: [{ ...device, received: swapped(received) }] }
  expect(check(turned).map(({ rule }) => rule)).toContain('device order')
})

describe('planted damage is found by its rule', () => {
  test.each(rules)('$name', ({ name }) => {
    const damage = damages[name]
    expect(damage).toBeDefined()
    expect(check({ ...sound, ...damage }).map(({ rule }) => rule)).toContain(name)
  })
})
