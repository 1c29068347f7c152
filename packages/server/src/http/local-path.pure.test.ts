import { expect, test } from 'vitest'
import { localPath } from './sign-in.ts'

test.each([
  ['/console', '/console'],
  ['/console/apps?x=1#y', '/console/apps?x=1#y'],
  ['//evil.example', '/console'],
  ['/\\evil.example', '/console'],
  ['https://evil.example/console', '/console'],
  ['/console/../../evil', '/console'],
  ['/console/..//evil.example', '/console'],
  ['/console\\..\\..\\evil', '/console'],
  ['/console/\t/evil', '/console//evil'],
  ['javascript:alert(1)', '/console'],
  ['/consoles', '/console'],
  [undefined, '/console'],
  [['/console', '//evil'], '/console'],
])('after the sign-in %j leads to %s (open redirect)', (wanted, to) => {
  expect(localPath(wanted)).toBe(to)
})
