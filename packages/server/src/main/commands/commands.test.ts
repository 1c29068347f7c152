import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import {
  cloneDatabase,
  createEmptyDatabase,
} from '../../../../testing/src/engines/test-database.ts'
import { errorOf, send } from '../../../../testing/src/network/wire.ts'
import {
  chorale,
  choraleJson,
  type Serving,
  settingsFor,
  startServing,
} from '../../../../testing/src/processes/program.ts'
import { openDatabase } from '../../database/pool.ts'
import { buildProgram } from '../program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)

interface CreatedApp {
  readonly appId: string
  readonly region: string
  readonly apiKeys: { readonly fullAccess: string; readonly authOnly: string }
}
const createApp = (name: string) =>
  choraleJson<CreatedApp>(settings, 'app', 'create', '--name', name, '--region', 'us')

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  expect(await chorale(settings, '--version')).toMatchObject({ stdout: `${version}\n` })
})

test('a command is loaded without the others', async () => {
  const { commands } = await buildProgram([])
  const names = commands.map((command) => command.name())
  expect(names).toContain('dead-letters')
  for (const name of names) {
    const alone = await buildProgram([name, 'and', 'more'])
    expect(alone.commands.map((command) => command.name())).toEqual([name])
  }
})

test('every command explains itself, and can answer in JSON', async () => {
  const leaves = (command: Command, words: readonly string[]): [string, Command][] =>
    command.commands.length === 0
      ? [[words.join(' '), command]]
      : command.commands.flatMap((below) => leaves(below, [...words, below.name()]))
  const commands = new Map(leaves(await buildProgram([]), []))
  expect([...commands.keys()]).toEqual(
    expect.arrayContaining([
      'start',
      'serve',
      'migrate',
      'app create',
      'app list',
      'app delete',
      'key create',
      'key list',
      'key revoke',
      'management-key create',
      'management-key list',
      'management-key revoke',
      'master-key check',
      'master-key rotate',
      'dead-letters list',
      'dead-letters replay',
      'epoch new',
      'audit list',
    ]),
  )
  for (const [words, command] of commands) {
    const help = command.helpInformation()
    expect(help, words).toContain(`Usage: chorale ${words}`)
    expect(help, words).toContain(command.description())
    expect(help, words).toContain('--json')
  }
  const [all, one] = await Promise.all([
    chorale({}, '--help'),
    chorale({}, 'app', 'create', '--help'),
  ])
  expect([all.code, one.code]).toEqual([0, 0])
  expect(all.stdout).toContain('management-key')
  expect(one.stdout).toContain('Usage: chorale app create')
})

test('migrate brings an empty database to this release, and then has nothing to do', async () => {
  await using empty = await createEmptyDatabase()
  const there = settingsFor(empty.url)
  const { migrations } = await choraleJson<{ migrations: string[] }>(there, 'migrate')
  expect(migrations[0]).toBe('0001-install')
  expect((await chorale(there, 'migrate')).stdout).toBe('Nothing to do.\n')
})

describe('beside a running service', () => {
  let serving: Serving
  beforeAll(async () => {
    serving = stack.use(await startServing(settings))
  })
  const listUsers = (appId: string, apikey: string) =>
    send(serving.origin, { path: '/v3/users', headers: { appId, apikey } })

  test('app create prints the app and its two keys, which work at once', async () => {
    const app = await createApp('Acme')
    expect(app).toEqual({
      appId: expect.stringMatching(/^[a-z][a-z0-9]+$/),
      region: 'us',
      apiKeys: {
        fullAccess: expect.stringMatching(/^[0-9a-f]{40}$/),
        authOnly: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    })
    expect((await listUsers(app.appId, app.apiKeys.fullAccess)).status).toBe(200)
    const refused = await listUsers(app.appId, app.apiKeys.authOnly)
    expect(errorOf(refused).code).toBe('AUTH_ERR_NO_ACCESS')
    const apps = await choraleJson<{ appId: string }[]>(settings, 'app', 'list')
    const listed = async (id: string, key: string) => (await listUsers(id, key)).status
    await expectToKeepItsIdentity(listed)
    expect(apps).toContainEqual(expect.objectContaining({ appId: app.appId, name: 'Acme' }))
  })

  test('key create makes a key that works, key list shows it, key revoke ends it', async () => {
    const { appId } = await createApp('Keys')
    const key = await choraleJson<{ apiKey: string }>(
      settings,
      ...['key', 'create', '--app', appId, '--name', 'ci', '--scope', 'fullAccess'],
    )
    expect((await listUsers(appId, key.apiKey)).status).toBe(200)
    const listed = await choraleJson<object[]>(settings, 'key', 'list', '--app', appId)
    expect(listed).toHaveLength(3)
    expect(listed).toContainEqual(key)
    const revoke = ['key', 'revoke', key.apiKey, '--app', appId]
    expect(await choraleJson(settings, ...revoke)).toEqual({ revoked: true })
    const refused = await listUsers(appId, key.apiKey)
    expect([refused.status, errorOf(refused).code]).toEqual([401, 'AUTH_ERR_APIKEY_NOT_FOUND'])
    const again = await chorale(settings, ...revoke)
    expect(again).toEqual({ code: 1, stdout: '', stderr: `The app ${appId} has no such key.\n` })
    await using database = openDatabase({
      url: settings.DATABASE_URL ?? '',
      poolSize: 1,
      statementTimeoutMs: 10_000,
      onIdleError: () => undefined,
    })
    const audited = await auditOf(database.db, appId)
    expect(audited.slice(-2)).toMatchObject([
      { caller: 'cli', operation: 'key create' },
      { caller: 'cli', operation: 'key revoke' },
    ])
  })

  test('a key without --scope may only sign users in', async () => {
    const { appId } = await createApp('Careful')
    const create = ['key', 'create', '--app', appId, '--name', 'plain']
    const key = await choraleJson<{ apiKey: string }>(settings, ...create)
    expect(key).toMatchObject({ scope: 'authOnly' })
    expect(errorOf(await listUsers(appId, key.apiKey)).code).toBe('AUTH_ERR_NO_ACCESS')
  })

  test('app delete archives an app: its keys are refused from then on', async () => {
    const { appId, apiKeys } = await createApp('Short')
    expect(await choraleJson(settings, 'app', 'delete', appId)).toEqual({
      appId,
      scheduledToDeleteAt: expect.any(Number),
    })
    const refused = await listUsers(appId, apiKeys.fullAccess)
    expect([refused.status, errorOf(refused).code]).toEqual([401, 'AUTH_ERR_INVALID_APPID'])
    const again = await chorale(settings, 'app', 'delete', appId)
    expect(again).toEqual({ code: 1, stdout: '', stderr: `There is no app ${appId}.\n` })
  })

  test('management-key create makes a pair that opens the management API', async () => {
    const pair = await choraleJson<{ key: string; secret: string }>(
      settings,
      ...['management-key', 'create', '--name', 'operator'],
    )
    const headers = { host: 'apimgmt.localhost', ...pair }
    expect((await send(serving.origin, { path: '/apps', headers })).status).toBe(200)
  })

  test('H7: a management key is scoped, expires, is listed with its use, and is revoked', async () => {
    const { appId } = await createApp('Scoped')
    const create = ['management-key', 'create', '--name', 'agency', '--expires', '90d', '--app']
    const pair = await choraleJson<{ key: string; secret: string }>(settings, ...create, appId)
    const headers = { host: 'apimgmt.localhost', ...pair }
    const listApps = () => send(serving.origin, { path: '/apps', headers })
    const { text } = await listApps()
    expect(JSON.parse(text).data).toEqual([expect.objectContaining({ id: appId })])
    const listed = await choraleJson<{ key: string }[]>(settings, 'management-key', 'list')
    const of = ({ key }: { key: string }) => key === pair.key
    expect(listed.find(of)).toEqual({
      key: pair.key,
      name: 'agency',
      appIds: [appId],
      state: 'active',
      revokedAt: null,
      createdAt: expect.any(Number),
      expiresAt: expect.any(Number),
      lastUsedAt: expect.any(Number),
    })
    const revoke = ['management-key', 'revoke', pair.key]
    expect(await choraleJson(settings, ...revoke)).toEqual({ revoked: true })
    const refused = await listApps()
    expect(errorOf(refused).code).toBe('AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND')
    const [again, unknown, past] = await Promise.all([
      chorale(settings, ...revoke),
      chorale(settings, ...create, 'nothing'),
      chorale(settings, 'management-key', 'create', '--name', 'x', '--expires', '2001-01-01'),
    ])
    expect(again.stderr).toBe('There is no such key, or it is revoked already.\n')
    expect(unknown.stderr).toBe('There is no app nothing.\n')
    expect(past.stderr).toContain('a date to come')
  })
})

test('without --json the answer is for people', async () => {
  const { code, stdout } = await chorale(settings, 'app', 'list')
  expect(code).toBe(0)
  expect(stdout).toContain('Region')
  expect(() => JSON.parse(stdout)).toThrow()
})

test('a command that is used wrongly says how to use it', async () => {
  const wrong = [
    ['nonsense'],
    ['app', 'create'],
    ['serve', '--port', 'abc'],
    ['key', 'create', '--app', 'nothing', '--name', 'x'],
  ]
  await Promise.all(
    wrong.map(async (args) => {
      const { code, stdout, stderr } = await chorale(settings, ...args)
      expect([code, stdout], args.join(' ')).toEqual([1, ''])
      expect(stderr, args.join(' ')).toMatch(/--help|There is no such app/)
      expect(stderr).not.toMatch(/^\s+at /m)
    }),
  )
})

/** An app that moves here, so that nothing but the address changes for its clients. */
async function expectToKeepItsIdentity(listed: (id: string, key: string) => Promise<number>) {
  const [fullAccess, authOnly] = ['f', 'a'].map((letter) => letter.repeat(40))
  const options = ['--app-id', '2734moved', '--api-key', fullAccess, '--auth-only-key', authOnly]
  const create = ['app', 'create', '--name', 'Moved', ...options] as string[]
  const app = await choraleJson<CreatedApp>(settings, ...create)
  expect(app).toMatchObject({ appId: '2734moved', apiKeys: { fullAccess, authOnly } })
  expect(await listed('2734moved', fullAccess ?? '')).toBe(200)
  const again = await chorale(settings, ...create)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')])
  const wrong = await chorale(settings, 'app', 'create', '--name', 'X', '--app-id', 'a.b')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--app-id')])
}
