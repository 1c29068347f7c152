import { expect, test } from 'vitest'
import { dispositionOf, servedType } from './disposition.ts'
import { openSignedPaths } from './signed-paths.ts'
import { openSigner } from './sigv4.ts'
import { fileOfKey, keyOf } from './storage.ts'

const fileId = '0199c0de-7000-7000-8000-0000000000ab'

test('a query is signed as the example in the documentation of S3 says', () => {
  const signer = openSigner({
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  })
  const query = signer.query({
    method: 'GET',
    host: 'examplebucket.s3.amazonaws.com',
    path: '/test.txt',
    query: {},
    signedAt: Date.UTC(2013, 4, 24) / 1000,
    validSeconds: 86_400,
  })
  expect(query).toMatch(
    /&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404$/,
  )
})

test('keys say whose they are, and hold nothing that somebody typed', () => {
  const key = keyOf('my-app', fileId)
  expect(key).toBe(`my-app/ab/${fileId}/original`)
  expect(fileOfKey(key)).toEqual({ appId: 'my-app', fileId })
  for (const bad of [
    `../ab/${fileId}/original`,
    `a/../${fileId}/x`,
    `a/ab/${fileId}/../x`,
    '',
    key.toUpperCase(),
  ]) {
    expect(fileOfKey(bad), bad).toBeUndefined()
  }
})

test.for([
  ['cat.png', 'image/png', 'inline; filename="cat.png"'],
  [
    'Käse "gut".pdf',
    'application/pdf',
    `attachment; filename="K_se _gut_.pdf"; filename*=UTF-8''K%C3%A4se%20%22gut%22.pdf`,
  ],
  ['../../etc/passwd', 'text/plain', 'attachment; filename=".._.._etc_passwd"'],
  ['a\r\nSet-Cookie: x', 'image/png', 'inline; filename="a__Set-Cookie: x"'],
  ['\u202egnp.exe', 'image/png', 'inline; filename="_gnp.exe"'],
  [
    "it's (1)*é.gif",
    'image/gif',
    `inline; filename="it's (1)*_.gif"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9.gif`,
  ],
])('the name %j of %s is safe in a header', ([name = '', type = '', header]) => {
  expect(dispositionOf(name, type)).toBe(header)
})

test('what could run a script is served as bytes to save', () => {
  for (const type of [
    'image/svg+xml',
    'text/html',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    '',
  ]) {
    expect(servedType(type)).toBe('application/octet-stream')
    expect(dispositionOf('x', type)).toMatch(/^attachment;/)
  }
  expect(servedType('IMAGE/PNG; charset=x')).toBe('image/png')
})

test('an address of the folder is valid as it was signed, until its time is over', () => {
  let now = 1_800_000_000
  const paths = openSignedPaths({ keyOf: (day) => Buffer.from(`key of ${day}`), clock: () => now })
  const key = keyOf('app', fileId)
  const permit = {
    method: 'GET',
    key,
    expiresAt: now + 60,
    type: 'image/png',
    name: 'a b&c.png',
  } as const
  const url = new URL(paths.sign(permit), 'http://files')
  const query = Object.fromEntries(url.searchParams)
  expect(paths.verify('GET', key, query)).toEqual(permit)
  const changes: Record<string, string>[] = [
    { e: String(now + 61) },
    { t: 'text/html' },
    { n: 'other' },
    { s: '' },
    { s: `A${query.s?.slice(1)}B` },
    { l: '5' },
    { p: '1', o: '0' },
  ]
  for (const change of changes) {
    expect(
      paths.verify('GET', key, { ...query, ...change }),
      JSON.stringify(change),
    ).toBeUndefined()
  }
  expect(paths.verify('PUT', key, query)).toBeUndefined()
  expect(paths.verify('GET', keyOf('app', fileId.replace('7000', '7001')), query)).toBeUndefined()
  expect(paths.verify('GET', keyOf('other', fileId), query)).toBeUndefined()
  now += 61
  expect(paths.verify('GET', key, query)).toBeUndefined()
})
