import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTalks, Talkers } from '../../../testing/src/imports/random-history.ts'
import { startHosted } from '../../../testing/src/move/hosted.ts'
import { startMoving, startProgram } from '../../../testing/src/move/moving-process.ts'
import { seeded } from '../../../testing/src/seeded.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { type Item, itemIn } from './format.ts'
import { checkArchive, requireArchive } from './import.ts'
import type { Manifest } from './manifest.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const old = stack.use(await startTestApp({ shadow: false }))
const fresh = stack.use(await startTestApp({ shadow: false }))
const none = { limited: 0, failed: 0, cut: 0 }
/** Short pages, so that a process can be killed between them. */
const slowly = stack.use(await startHosted({ origin: old.origin, pageSize: 10, every: none }))

const folder = mkdtempSync(join(tmpdir(), 'chorale-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

function run(command: string, side: typeof old, ...args: readonly string[]) {
  return startProgram([command, '--app', side.appId, '--json', ...args], {
    CHORALE_ARCHIVE_URL: `${side.origin}/v3`,
    CHORALE_ARCHIVE_KEY: side.keys.full,
  })
}

async function check(name: string): Promise<unknown> {
  const checking = { folder: at(name), identities: [], progress: () => undefined }
  return checkArchive(checking, requireArchive(at(name)))
}

async function printed({ ended }: ReturnType<typeof startProgram>) {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

function compare(to: typeof old) {
  const sides = [
    ...['--from-url', `${old.origin}/v3`, '--from-app', old.appId],
    ...['--to-url', `${to.origin}/v3`, '--to-app', to.appId],
    ...['--state', at('compare.json'), '--json'],
  ]
  return printed(startMoving(['compare', ...sides], { from: old.keys.full, to: to.keys.full }))
}

/** What the parts of an archive that is not encrypted hold. */
function itemsIn(name: string): Item[] {
  const { parts }: Manifest = JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8'))
  return parts.flatMap(({ file }) => {
    const lines = readFileSync(join(at(name), file), 'utf8')
      .trimEnd()
      .split('\n')
    return lines.map((line, place) => itemIn(file, place + 1, line))
  })
}

const setting = 'messages.editWindowSeconds'

/** For the settings of the app. */
function managed({ managementOrigin, management }: typeof old): string[] {
  const { key, secret } = management
  const names = ['--management-url', '--management-key', '--management-secret']
  return [managementOrigin, key, secret].flatMap((value, place) => [names[place] ?? '', value])
}

beforeAll(async () => {
  const full = old.as('full')
  const settings = { [setting]: 3600 }
  await full.mapAppSettings({ params: { appId: old.appId }, body: { settings } })
  await openTalks(full)
  const talkers = new Talkers(full, seeded('archive'))
  for (let step = 0; step < 160; step++) await talkers.step()
  await full.createRole({ body: { role: 'staff', name: 'Staff' } })
  await full.createUser({ body: { uid: 'zed', name: 'Zed', role: 'staff', tags: ['z'] } })
  await full.addMembers({ params: { guid: 'club' }, body: { participants: ['zed'] } })
  await full.banUser({ params: { guid: 'club', uid: 'zed' } })
  await full.updateGroupConversation({
    params: { guid: 'team' },
    onBehalfOf: 'bob',
    body: { tags: ['work'] },
  })
  const body = { receiver: 'team', receiverType: 'group', data: { text: 'before' } } as const
  const { data } = await full.sendMessage({ onBehalfOf: 'ann', body })
  const params = { id: 'id' in data ? data.id : '' }
  await full.editMessage({ params, onBehalfOf: 'ann', body: { data: { text: 'after' } } })
  await full.addReaction({ params: { ...params, reaction: 'so' }, onBehalfOf: 'ann' })
  const named = { ...body, data: { text: 'Where is <@uid:ann>?' } }
  await full.sendMessage({ onBehalfOf: 'bob', body: named })
  await full.updateContactDetails({ onBehalfOf: 'ann', body: { email: 'ann@x.example' } })
  await full.blockUsers({ params: { uid: 'ann' }, body: { blockedUids: ['zed'] } })
}, 120_000)

test('an app is the same behind an encrypted archive, with both programs killed in the middle', async () => {
  const identity = await generateIdentity()
  writeFileSync(at('key.txt'), `# made by a test\n${identity}\n`)
  const recipient = await identityToRecipient(identity)
  const options = ['--to', at('whole'), '--recipient', recipient, '--lines', '40']
  const exporting = () => run('export', old, ...options, ...managed(old), '--url', slowly.url)

  const first = exporting()
  const manifest = join(at('whole'), 'manifest.json')
  const parts = (): Manifest['parts'] =>
    existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).parts : []
  await expect.poll(() => parts().length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(1)
  first.kill()
  expect((await first.ended).code).toBe(null)
  const before = parts()
  const { counts } = await printed(exporting())
  expect(parts().slice(0, before.length)).toEqual(before)
  expect(parts().length).toBeGreaterThan(before.length)
  expect(counts).toMatchObject({ user: 5, group: 2, role: expect.any(Number) })
  const stored = readdirSync(at('whole')).map((name) => readFileSync(join(at('whole'), name)))
  expect(Buffer.concat(stored).includes('edited')).toBe(false)

  const importing = (...more: readonly string[]) =>
    run('import', fresh, '--from', at('whole'), '--state', at('import.json'), ...more)
  const withoutKey = await importing().ended
  expect([withoutKey.code, withoutKey.stderr]).toEqual([1, expect.stringContaining('--identity')])
  const key = ['--identity', at('key.txt'), ...managed(fresh)]
  const second = importing(...key)
  await expect
    .poll(() => existsSync(at('import.json')), { timeout: 30_000, interval: 5 })
    .toBe(true)
  second.kill()
  await second.ended
  expect(JSON.parse(readFileSync(at('import.json'), 'utf8'))).toMatchObject({ done: false })
  expect(await printed(importing(...key))).toMatchObject({ left: [] })
  // Again from the beginning: nothing changes, and nobody was told of anything.
  const again = await printed(importing(...key, '--state', at('again.json')))
  expect(again).toMatchObject({ left: [] })
  const told = new Set((await fresh.events()).map(({ name }) => name))
  // Of which no user hears.
  const silent = ['app.settingsChanged', 'conversation.started', 'role.created']
  expect([...told].sort()).toEqual(silent)
  expect(await compare(fresh)).toMatchObject({ differing: 0, differences: [] })
  const { data } = await fresh.as('full').listConversations({
    onBehalfOf: 'bob',
    query: { withTags: true, tags: ['work'] },
  })
  expect(data).toMatchObject([{ conversationId: 'group_team', tags: ['work'] }])
  const settings = await fresh.as('full').listAppSettings({ params: { appId: fresh.appId } })
  expect(settings.data[setting]).toBe(3600)
}, 180_000)

test('one conversation is brought to an app that has nobody of it', async () => {
  const other = await fresh.anotherApp()
  const name = 'talk'
  await printed(run('export', old, '--to', at(name), '--conversation', 'group_team'))
  const kinds = new Set(itemsIn(name).map(({ kind }) => kind))
  expect([...kinds].sort()).toEqual(['conversation', 'group', 'member', 'message', 'user'])
  const target = { ...fresh, appId: other.appId, keys: other }
  const state = ['--from', at(name), '--state', at('talk.json')]
  expect(await printed(run('import', target, ...state))).toMatchObject({ left: [] })
  const listed = async (of: ReturnType<typeof old.as>) => {
    const query = { limit: 1000, affix: 'append', sentAt: 1 } as const
    const { data } = await of.listGroupMessages({ params: { guid: 'team' }, query })
    return data.map((one) => 'id' in one && [one.id, one.sender, one.sentAt, one.data.text])
  }
  expect(await listed(fresh.client(other, 'full'))).toEqual(await listed(old.as('full')))
})

test('what is stored of one user is written for them, and cannot be imported', async () => {
  await printed(run('export', old, '--to', at('ann'), '--user', 'ann'))
  const items = itemsIn('ann')
  const of = (kind: string) =>
    items.filter((one) => one.kind === kind).map(({ item }) => Object(item))
  expect(of('user')).toMatchObject([{ uid: 'ann', name: 'ANN' }])
  expect(of('account')).toMatchObject([{ contactDetails: { email: 'ann@x.example' } }])
  expect(of('blocked')).toMatchObject([{ uid: 'zed' }])
  const { rows } = await sql<{ id: string }>`
    select e.id::text from entries e where e.app_id = ${old.appId} and e.category = 'message'
      and (e.sender = 'ann' or exists (
        select from participants p where p.conversation_key = e.conversation_key
          and p.uid = 'ann' and p.with_uid is not null))
    order by e.id`.execute(old.db)
  const said = of('message').filter(({ category }) => category === 'message')
  expect(said.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => id))
  expect(of('reaction').every(({ uid }) => uid === 'ann')).toBe(true)
  expect(of('reaction')).toContainEqual(expect.objectContaining({ reaction: 'so' }))
  expect(of('mention')).toContainEqual(expect.objectContaining({ text: 'Where is <@uid:ann>?' }))
  expect(of('edit')).toContainEqual(expect.objectContaining({ data: { text: 'before' } }))
  const { code, stderr } = await run('import', fresh, '--from', at('ann')).ended
  expect([code, stderr]).toEqual([1, expect.stringContaining('to be read')])
})

/** Each way to damage a part, and the line that is named. */
const damages: readonly (readonly [string, number, (lines: string[]) => string[]])[] = [
  ['a letter', 9, (lines) => lines.with(8, lines[8]?.replace(/[a-z]/, 'X') ?? '')],
  ['two lines swapped', 4, (lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? '')],
  ['a line lost', 7, (lines) => lines.toSpliced(6, 1)],
  ['the end cut off', 5, (lines) => [...lines.slice(0, 4), (lines[4] ?? '').slice(0, 20)]],
  ['the last lines lost', 6, (lines) => lines.slice(0, 5)],
]

test('an archive that is damaged is refused, with the number of the line', async () => {
  await printed(run('export', old, '--to', at('sound'), '--conversation', 'group_club'))
  const file = 'part-00001.ndjson'
  const text = readFileSync(join(at('sound'), file), 'utf8')
  for (const [what, line, damage] of damages) {
    cpSync(at('sound'), at('damaged'), { recursive: true })
    const lines = damage(text.trimEnd().split('\n'))
    writeFileSync(join(at('damaged'), file), lines.map((one) => `${one}\n`).join(''))
    const refused = check('damaged').catch((error: Error) => `${what}: ${error.message}`)
    expect(await refused).toContain(`${what}: ${file}, line ${line}: `)
  }
  const { appId, ...keys } = await fresh.anotherApp()
  const target = { ...fresh, appId, keys: { appId, ...keys } }
  const state = ['--from', at('damaged'), '--state', at('damaged.json')]
  const { code, stderr } = await run('import', target, ...state).ended
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file}, line 6: `)])
  expect((await fresh.client(target.keys, 'full').listGroups()).data).toEqual([])
  const whole = await startProgram(['check-archive', '--from', at('sound')], {}).ended
  expect(whole.stdout).toContain('lines are whole')
  rmSync(join(at('sound'), 'manifest.json'))
  await expect(check('sound')).rejects.toThrow('There is no archive')
})
