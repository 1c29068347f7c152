import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../../testing/src/network/wire.ts'
import { signedIn } from '../../../../testing/src/service/console.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { forgetAuditLog, readAuditLog, writeAuditLog } from '../../database/audit-log.ts'
import { openVault } from '../../vault/vault.ts'
import { createManagementKey } from './keys/management-keys.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { listAuditLog } = full
const { appId } = app

const operationsIn = (rows: readonly { readonly operation: string }[]) =>
  rows.map(({ operation }) => operation)

describe('M7: the audit log', () => {
  test('has what changes who may enter, and looks at keys and tokens, with who and from where', async () => {
    await app.given.users('ann', 'bob')
    const params = { uid: 'ann' }
    const { data } = await full.createAuthToken({ params })
    await full.listAuthTokens({ params })
    await full.deleteAuthToken({ params: { uid: 'ann', authToken: data.authToken } })
    await full.listApiKeys()
    await app.given.group('den', { owner: 'ann' })
    const ann = await app.device('ann')
    await ann.calls.deleteGroup({ params: { guid: 'den' } })
    await full.deactivateUsers({ body: { uidsToDeactivate: ['bob'] } })
    await full.deleteUser({ params: { uid: 'bob' }, body: { permanent: true } })
    const { data: rows } = await listAuditLog({ query: { appId } })
    expect(operationsIn(rows)).toEqual([
      ...['deleteUser', 'deactivateUsers', 'deleteGroup', 'createAuthToken', 'listApiKeys'],
      ...['deleteAuthToken', 'listAuthTokens', 'createAuthToken'],
    ])
    const where = { address: '127.0.0.1', requestId: expect.stringMatching(/^[0-9a-f]{32}$/) }
    expect(rows[0]).toMatchObject({
      ...where,
      appId,
      caller: expect.stringMatching(/^key:/),
      keyId: app.keys.full.slice(-4),
      input: { params: { uid: 'bob' }, body: { permanent: true } },
      at: expect.any(Number),
    })
    expect(rows[2]).toMatchObject({ ...where, caller: 'device:ann', uid: 'ann' })
    expect(JSON.stringify(rows)).not.toContain(data.authToken)
  })

  test('is narrowed, and read page by page', async () => {
    const all = await listAuditLog({ query: { appId } })
    const [newest] = all.data
    const pages = []
    for (let before: number | undefined; ; ) {
      const query = { appId, limit: 3, ...(before !== undefined && { before }) }
      const { data, meta } = await listAuditLog({ query })
      pages.push(...data)
      if (!meta.next) break
      before = meta.next.before
    }
    expect(pages).toEqual(all.data)
    const only = async (query: object) =>
      operationsIn((await listAuditLog({ query: { appId, ...query } })).data)
    expect(await only({ operation: 'deleteGroup' })).toEqual(['deleteGroup'])
    expect(await only({ caller: 'device:ann' })).toEqual(['deleteGroup'])
    expect(await only({ since: (newest?.at ?? 0) + 1 })).toEqual([])
    expect(await only({ until: 1 })).toEqual([])
    expect((await listAuditLog({ query: { limit: 1000 } })).data.length).toBeGreaterThan(
      all.data.length,
    )
  })

  test('shows a management key of some apps theirs alone', async () => {
    const other = await app.anotherApp()
    const vault = openVault(Buffer.from(app.masterKey, 'base64'))
    const wanted = { name: 'of one', appIds: [other.appId] }
    const key = await createManagementKey({ db: app.db }, vault, wanted, 1)
    const limited = app.client(other, 'full', key)
    await limited.listApiKeys()
    const { data } = await limited.listAuditLog()
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map((entry) => entry.appId))).toEqual(new Set([other.appId]))
    expect((await limited.listAuditLog({ query: { appId } })).data).toEqual([])
  })

  test('tells a file by its size and digest', async () => {
    const words = Array.from({ length: 2000 }, (_, n) => `word${n}`).join('\n')
    const form = { id: 'many', category: 'word', file: new Blob([words]) } as const
    await full.createKeywordList({ form })
    const query = { appId, operation: 'createKeywordList' }
    const [entry] = (await listAuditLog({ query })).data
    const bytes = Buffer.from(words).toString('base64').length
    expect(entry?.input).toMatchObject({
      form: { id: 'many', file: { bytes, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    })
    expect(JSON.stringify(entry).length).toBeLessThan(1000)
  })

  test('is cleared of what is too old, and of nothing else', async () => {
    const entry = { appId: 'old', caller: 'cli', operation: 'test', input: {}, requestId: '' }
    // As if they were the oldest: ids are given in the order of time.
    const before = await readAuditLog(app.db, { limit: 1000 })
    for (const at of [100, 200]) await writeAuditLog(app.db, { ...entry, at })
    let gone = 0
    for (let some = 1; some > 0; gone += some) some = await forgetAuditLog(app.db, 200)
    expect(gone).toBe(1)
    expect(await readAuditLog(app.db, { appId: 'old', limit: 10 })).toMatchObject([{ at: 200 }])
    expect(await readAuditLog(app.db, { limit: 1000 })).toHaveLength(before.length + 1)
  })
})

describe('an export of the audit log', () => {
  const path = `/audit-log/export?appId=${appId}`
  const { key, secret } = app.management
  const exported = (to: string) =>
    send(app.managementOrigin, { path: to, headers: { key, secret } })

  test('is lines of JSON of every page, newest first, with the filters of the list', async () => {
    const at = 1_700_000_000
    for (let nth = 0; nth < 2300; nth++) {
      const entry = { appId, at: at + nth, caller: 'cli', operation: 'filler', requestId: '' }
      await writeAuditLog(app.db, { ...entry, input: { nth } })
    }
    const answer = await exported(`${path}&operation=filler&since=${at + 100}`)
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const lines = answer.text.trimEnd().split('\n')
    const nths = lines.map((line) => JSON.parse(line).input.nth)
    expect(nths).toEqual(Array.from({ length: 2200 }, (_, place) => 2299 - place))
    const { data } = await full.exportAuditLog({
      query: { appId, operation: 'filler', until: at + 3 },
    })
    expect(data.map((entry) => entry.at)).toEqual([at + 2, at + 1, at])
    expect((await exported(`${path}&operation=nothing`)).text).toBe('')
    const noted = await listAuditLog({ query: { operation: 'exportAuditLog', limit: 10 } })
    expect(noted.data).toHaveLength(3)
  })

  test('has for people what they may read, with names, and for viewers nothing', async () => {
    const other = await app.anotherApp()
    const owner = await signedIn(app, { [other.appId]: 'owner' })
    await owner.calls(other.appId).createApiKey({ body: { name: 'Theirs' } })
    const { data } = await owner.calls('').exportAuditLog()
    expect(data).toMatchObject([
      { appId: other.appId, operation: 'createApiKey', name: expect.stringMatching(/^Person/) },
    ])
    const viewer = await signedIn(app, { '*': 'viewer' })
    await expect(viewer.calls('').exportAuditLog()).rejects.toMatchObject({ status: 403 })
  })

  test('that cannot begin is answered with an error', async () => {
    const answer = await exported('/audit-log/export?since=never')
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'ERR_BAD_REQUEST'])
  })
})
