import { expect, test } from 'vitest'
import { FileHosts, linksOf, nameOf } from './links.ts'

const hosts = FileHosts.parse('files.example.com, *.store.example.org,127.0.0.1:8080')

test.for([
  ['https://files.example.com/a.png', true],
  ['http://FILES.example.com/a.png', true],
  ['https://eu.store.example.org/a.png?token=1', true],
  ['http://127.0.0.1:8080/a.png', true],
  ['http://127.0.0.1/a.png', false],
  ['https://files.example.com:8443/a.png', false],
  ['https://files.example.com@evil.example/a.png', false],
  ['https://evil.example/files.example.com', false],
  ['https://store.example.org/a.png', false],
  ['https://evilstore.example.org/a.png', false],
  ['ftp://files.example.com/a.png', false],
  ['file:///etc/passwd', false],
  ['not an address', false],
] as const)('%s: %s', ([url, isNamed]) => {
  expect(hosts.has(url)).toBe(isNamed)
})

test('what is no host is refused', () => {
  expect(() => FileHosts.parse('https://files.example.com')).toThrow('is no host')
})

test('a file has the name that it was given, or that its link ends with', () => {
  expect(nameOf({ name: 'cat.png', url: 'https://x/dog.png' })).toBe('cat.png')
  expect(nameOf({ url: 'https://x/a/Z%C3%BCrich.png?size=1' })).toBe('Zürich.png')
  expect(nameOf({ url: 'https://x/100%.png' })).toBe('100%.png')
  expect(nameOf({ url: 'https://x/' })).toBe('file')
  expect(nameOf({ name: 'a'.repeat(300) })).toHaveLength(255)
})

test('a media message may have a link alone', () => {
  const message = {
    id: '1',
    conversationId: 'c',
    sender: 'ann',
    receiverType: 'user',
    receiver: 'bob',
    category: 'message',
    type: 'image',
    sentAt: 1,
    data: { url: 'https://x/cat.png' },
  } as const
  expect(linksOf(message)).toEqual([{ url: 'https://x/cat.png' }])
  expect(linksOf({ ...message, category: 'custom' })).toEqual([])
})
