import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { createIssuer, listIssuers, getIssuer, updateIssuer, deleteIssuer, listAuditLog } =
  app.as('full')

const jwksUrl = 'https://login.example/keys'
const login = { id: 'login', issuer: 'https://login.example/', jwksUrl, audiences: ['chat'] }
const params = { issuerId: 'login' }

test('an app trusts an issuer, with careful settings unless it says otherwise', async () => {
  const { data } = await createIssuer({ body: login })
  expect(data).toMatchObject({
    ...login,
    algorithms: ['RS256'],
    uidClaim: 'sub',
    uidForm: 'exact',
    allowedRoles: [],
    createUsers: false,
    updateUsers: false,
    maxLifetimeSeconds: 86_400,
    enabled: true,
  })
  expect((await getIssuer({ params })).data).toEqual(data)
  expect((await listIssuers()).data).toEqual([data])
})

test('a change keeps what it does not name, can take away, and is told', async () => {
  const change = { roleClaim: 'roles', uidPrefix: 'kc-', audiences: ['a', 'b'] }
  const { data } = await updateIssuer({ params, body: change })
  expect(data).toMatchObject({ ...login, ...change, nameClaim: 'name' })
  const { data: less } = await updateIssuer({ params, body: { unset: ['roleClaim', 'uidPrefix'] } })
  expect(less).not.toHaveProperty('roleClaim')
  expect(less).not.toHaveProperty('uidPrefix')
  expect((await app.events()).at(-1)).toEqual({
    name: 'issuer.updated',
    payload: { issuerId: 'login' },
  })
})

const refusals: Record<string, [object, string]> = {
  'an address of the inside': [{ jwksUrl: 'https://10.0.0.1/keys' }, 'jwksUrl'],
  'an address without TLS': [{ jwksUrl: 'http://login.example/keys' }, 'jwksUrl'],
  'a shared secret as algorithm': [{ algorithms: ['HS256'] }, 'algorithms.0'],
  'no signature as algorithm': [{ algorithms: ['none'] }, 'algorithms.0'],
  'no audience': [{ audiences: [] }, 'audiences'],
  'a role that does not exist': [{ allowedRoles: ['king'] }, 'allowedRoles'],
  'a prefix that no uid can have': [{ uidPrefix: 'A|' }, 'uidPrefix'],
}

test.each(Object.entries(refusals))('%s is refused', async (_, [body, field]) => {
  const fresh = { ...login, id: 'other', issuer: 'https://other.example' }
  const objection = { status: 400, details: { [field]: expect.anything() } }
  await expect(createIssuer({ body: { ...fresh, ...body } })).rejects.toMatchObject(objection)
  await expect(updateIssuer({ params, body })).rejects.toMatchObject(objection)
})

test('neither an id nor the name of an issuer can be had twice', async () => {
  const taken = { status: 409, code: 'ERR_ISSUER_ALREADY_EXISTS' }
  const other = { ...login, issuer: 'https://other.example' }
  await expect(createIssuer({ body: other })).rejects.toMatchObject(taken)
  await expect(createIssuer({ body: { ...login, id: 'other' } })).rejects.toMatchObject(taken)
  await createIssuer({ body: { ...other, id: 'other' } })
  const body = { issuer: login.issuer }
  await expect(updateIssuer({ params: { issuerId: 'other' }, body })).rejects.toMatchObject(taken)
})

test('an app trusts ten issuers at most', async () => {
  for (let nth = 3; nth <= 10; nth++) {
    await createIssuer({ body: { ...login, id: `nth-${nth}`, issuer: `https://${nth}.example` } })
  }
  await expect(
    createIssuer({ body: { ...login, id: 'nth-11', issuer: 'https://11.example' } }),
  ).rejects.toMatchObject({ code: 'ERR_PLAN_QUOTA_RESTRICTION' })
  expect((await listIssuers({ query: { perPage: 3, page: 4 } })).data).toHaveLength(1)
})

test('one that is deleted is gone, and every change is in the audit log', async () => {
  await deleteIssuer({ params })
  const gone = { code: 'ERR_ISSUER_NOT_FOUND', status: 404 }
  await expect(getIssuer({ params })).rejects.toMatchObject(gone)
  await expect(updateIssuer({ params, body: {} })).rejects.toMatchObject(gone)
  await expect(deleteIssuer({ params })).rejects.toMatchObject(gone)
  const { data } = await listAuditLog({ query: { appId: app.appId, limit: 100 } })
  const operations = new Set(data.map(({ operation }) => operation))
  expect(operations).toEqual(new Set(['createIssuer', 'updateIssuer', 'deleteIssuer']))
})
