import { allOperations, type OperationName } from '@chorale/contract/api'
import { collaboratorRoles } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import { accessTo, rolePermissions, rolesWith } from '@chorale/contract/permissions'
import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { type Person, signedIn } from '../../../testing/src/service/console.ts'
import { consoleUrl, pageHeaders } from '../../../testing/src/service/console-page.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { appId, managementOrigin: origin } = app
const other = await app.anotherApp()

function addressOf(name: Parameters<typeof accessTo>[0], path: string, of = appId): string {
  const requires = allOperations.get(name)?.requires ?? ''
  const chat = !['management', 'session'].includes(requires)
  const filled = path.replaceAll(/:(\w+)/g, (_, field) => (field === 'appId' ? of : 'nothing'))
  return `/console/api${chat ? '/v3' : ''}${filled}`
}

const atOnce = 8

/** Every operation, with a body that none takes: whoever may call is told that, by a 400 or a 404. */
async function refusals(person: Person, of = appId): Promise<string[]> {
  const refused: string[] = []
  const call = async ([name, { method, path }]: readonly [OperationName, Operation]) => {
    const answer = await send(origin, {
      method,
      path: addressOf(name, path, of),
      headers: { ...pageHeaders(person.session), appId: of, 'content-type': 'application/json' },
      body: method === 'GET' ? undefined : '[]',
    })
    expect([401, 429, 500, 503], `${name} ${answer.text}`).not.toContain(answer.status)
    const isRefused = answer.status === 403 && errorOf(answer).code === 'AUTH_ERR_NO_ACCESS'
    if (isRefused) refused.push(name)
  }
  const operations = [...allOperations].filter(([name]) => accessTo(name) !== 'self')
  const others = operations.filter(([name]) => name !== 'deleteApp')
  for (let i = 0; i < others.length; i += atOnce) {
    await Promise.all(others.slice(i, i + atOnce).map(call))
  }
  // An owner deletes it.
  for (const one of operations) if (one[0] === 'deleteApp') await call(one)
  return refused
}

/** Those that are about no app: a role in one is not enough, but for lists of what is theirs. */
const ofTheirs = ['listApps', 'listAuditLog', 'exportAuditLog']
const ofInstall = [...allOperations].flatMap(([name, { requires, path }]) =>
  requires === 'management' && !path.includes(':appId') && !ofTheirs.includes(name) ? [name] : [],
)

describe.each(collaboratorRoles)('a collaborator with the role %s', (role) => {
  const denied = [...allOperations.keys()].filter((name) => {
    const access = accessTo(name)
    return access !== 'self' && !rolesWith(access).includes(role)
  })

  test('may call in an app what the table of permissions says, and nothing else', async () => {
    const { appId: of } = await app.anotherApp()
    const person = await signedIn(app, { [of]: role })
    expect((await refusals(person, of)).toSorted()).toEqual(
      [...new Set([...denied, ...ofInstall])].toSorted(),
    )
  })

  test('may do the same in every app when the role is of the install', async () => {
    const { appId: of } = await app.anotherApp()
    const person = await signedIn(app, { '*': role })
    expect((await refusals(person, of)).toSorted()).toEqual(denied.toSorted())
  })
})

test('a viewer may call nothing that changes anything', async () => {
  const viewer = await signedIn(app, { '*': 'viewer' })
  const refused = new Set(await refusals(viewer))
  const writes = [...allOperations].filter(
    ([name, { effect }]) => effect !== 'read' && accessTo(name) !== 'self',
  )
  expect(writes.flatMap(([name]) => (refused.has(name) ? [] : [name]))).toEqual([])
})

test('each role has all that a viewer has, and an owner all there is', () => {
  for (const role of collaboratorRoles) {
    expect(rolePermissions[role]).toEqual(expect.arrayContaining([...rolePermissions.viewer]))
    expect(rolePermissions.owner).toEqual(expect.arrayContaining([...rolePermissions[role]]))
  }
})

describe('a collaborator of one app', async () => {
  const owner = await signedIn(app, { [appId]: 'owner' })

  test('is refused in another, whether it exists or not', async () => {
    for (const of of [other.appId, 'nobodys']) {
      const noAccess = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
      await expect(owner.calls(of).listUsers()).rejects.toMatchObject(noAccess)
      await expect(
        owner.calls(of).listAppSettings({ params: { appId: of } }),
      ).rejects.toMatchObject(noAccess)
    }
    const nowhere = owner.calls('').listUsers()
    await expect(nowhere).rejects.toMatchObject({ code: 'AUTH_ERR_EMPTY_APPID', status: 401 })
  })

  test('lists its own apps, and reads their part of the audit log', async () => {
    const calls = owner.calls(appId)
    expect((await calls.listApps()).data.map(({ id }) => id)).toEqual([appId])
    await app.client(other, 'full').listApiKeys()
    await calls.createApiKey({ body: { name: 'By a person' } })
    const { data } = await calls.listAuditLog()
    expect(new Set(data.map((entry) => entry.appId))).toEqual(new Set([appId]))
  })

  test('is named in the audit log for every change and every look at secrets', async () => {
    const calls = owner.calls(appId)
    await calls.createUser({ body: { uid: 'made', name: 'Made' } })
    await calls.listApiKeys()
    const query = { collaboratorId: owner.id, limit: 2 }
    const { data } = await calls.listAuditLog({ query })
    expect(data.map(({ operation }) => operation)).toEqual(['listApiKeys', 'createUser'])
    expect(data[1]).toMatchObject({
      appId,
      caller: `collaborator:${owner.email}`,
      name: expect.stringMatching(/^Person \d+$/),
      collaboratorId: owner.id,
      keyId: owner.sessionId,
      address: '127.0.0.1',
      input: { body: { uid: 'made', name: 'Made' } },
    })
  })

  test('has in each app the role that is of that app', async () => {
    const theirs = await app.anotherApp()
    const roles = { [appId]: 'viewer', [theirs.appId]: 'owner' } as const
    const person = await signedIn(app, roles)
    const body = { uid: 'by-a-viewer', name: 'Nobody' }
    await expect(person.calls(appId).createUser({ body })).rejects.toMatchObject({
      code: 'AUTH_ERR_NO_ACCESS',
    })
    await person.calls(theirs.appId).createUser({ body })
  })

  test('does not act as a user', async () => {
    const call = owner.calls(appId).listUsers({ onBehalfOf: 'made' })
    await expect(call).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
  })
})

describe('team management', async () => {
  const owner = await signedIn(app, { [other.appId]: 'owner' })
  const params = { appId: other.appId }
  const calls = owner.calls(other.appId)

  test('adds, changes and removes people by e-mail address', async () => {
    const body = { admins: ['ADA@example.com'], moderators: ['moe@example.com'] }
    const { data } = await calls.updateCollaborators({ params, body })
    expect([data.admins, data.moderators]).toEqual([
      { 'ada@example.com': { success: true } },
      { 'moe@example.com': { success: true } },
    ])
    const again = { viewers: ['moe@example.com'], collaboratorsToRemove: ['ada@example.com'] }
    await calls.updateCollaborators({ params, body: again })
    const rows = (await calls.listCollaborators({ params })).data
    expect(rows.map(({ email, role }) => [email, role])).toEqual([
      ['moe@example.com', 'viewer'],
      [owner.email, 'owner'],
    ])
  })

  test('refuses strangers, oneself, people of the install, and the 26th', async () => {
    const boss = await signedIn(app, { '*': 'owner' })
    const many = Array.from({ length: 24 }, (_, i) => `v${i}@example.com`)
    const { data } = await calls.updateCollaborators({
      params,
      body: {
        collaboratorsToRemove: ['nobody@example.com', owner.email],
        developers: [boss.email],
        viewers: many,
      },
    })
    const codes = (list: Record<string, { error?: { code: string } | undefined }>) =>
      Object.values(list).flatMap(({ error }) => (error ? [error.code] : []))
    expect(codes(data.collaboratorsToRemove)).toEqual([
      'ERR_NOT_A_COLLABORATOR',
      'ERR_SELF_ACTION_DENIED',
    ])
    expect(codes(data.developers)).toEqual(['ERR_ALREADY_AN_OWNER'])
    expect(codes(data.viewers)).toEqual(['ERR_PLAN_QUOTA_RESTRICTION'])
  })

  test('of an app that is not there is refused', async () => {
    const gone = { params: { appId: 'gone' } }
    const operator = app.as('full')
    await expect(operator.listCollaborators(gone)).rejects.toMatchObject({
      code: 'ERR_APP_NOT_FOUND',
    })
    const update = operator.updateCollaborators({ ...gone, body: {} })
    await expect(update).rejects.toMatchObject({ code: 'ERR_APP_NOT_FOUND' })
  })
})

test('people list the apps in which they have a role, with what it allows and without keys', async () => {
  const third = await app.anotherApp()
  const ofOne = await signedIn(app, { [third.appId]: 'support' })
  const { data } = await ofOne.calls(third.appId).listOwnApps({ query: {} })
  expect(data).toEqual([
    {
      id: third.appId,
      name: 'Test',
      region: expect.any(String),
      createdAt: expect.any(Number),
      permissions: expect.arrayContaining([...rolePermissions.support]),
    },
  ])
  const ofAll = await signedIn(app, { '*': 'viewer' })
  const all = await ofAll.calls(third.appId).listOwnApps({ query: { searchKey: third.appId } })
  expect(all.data.map(({ id }) => id)).toEqual([third.appId])
})

test('a tenant is an app with its owner, who signs in with the password', async () => {
  const body = {
    name: 'Tom',
    email: 'tom@example.com',
    password: 'correct horse battery',
    appName: 'Toms',
    appRegion: 'eu',
  } as const
  const { data } = await app.as('full').createTenant({ body })
  const made = { appId: data.app.appId, full: data.app.apiKey, auth: data.app.authKey }
  expect((await app.client(made, 'full').listUsers()).data).toEqual([])
  const again = app.as('full').createTenant({ body })
  await expect(again).rejects.toMatchObject({ code: 'ERR_ALREADY_A_COLLABORATOR', status: 409 })
  const answer = await send(origin, {
    method: 'POST',
    path: '/console/sign-in',
    headers: { origin: consoleUrl, 'x-chorale-console': '1' },
    body: JSON.stringify({ email: 'Tom@Example.com', password: body.password }),
  })
  expect(answer.status, answer.text).toBe(200)
})
