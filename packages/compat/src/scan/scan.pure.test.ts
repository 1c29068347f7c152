import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reportOf, rowsOf } from './report.ts'
import { usesIn } from './uses.ts'

const from = "from '@cometchat/chat-sdk-javascript'"
const namesIn = (source: string) => usesIn(source).map(({ name }) => name)

test.each([
  ['an import', `import { CometChat } ${from}; CometChat.login(a)`],
  ['a renamed import', `import { CometChat as Chat } ${from}\nChat.login(a)`],
  ['an import of all', `import * as sdk ${from}\nsdk.CometChat.login(a)`],
  [
    'a require',
    `const { CometChat } = require('@cometchat/chat-sdk-javascript'); CometChat.login()`,
  ],
  [
    'a require of all',
    `const sdk = require("@cometchat/chat-sdk-javascript"); sdk.CometChat.login()`,
  ],
  [
    'a dynamic import',
    `const { CometChat: C } = await import('@cometchat/chat-sdk-javascript')\nC.login()`,
  ],
  ['a script tag', `<p>don't</p><script>CometChat.login(uid)</script>`],
  ['taking apart', `import { CometChat } ${from}; const { login } = CometChat`],
])('%s', (_, source) => {
  expect(namesIn(source)).toEqual(['login'])
})

test('what only looks like a use is none', () => {
  const source = `import { CometChat } from './mine.ts'
    CometChat.login()`
  expect(namesIn(source)).toEqual([])
  const other = `import { CometChat } ${from}
    // CometChat.init()
    /* CometChat.init() */
    const text = 'CometChat.init()' + \`CometChat.init() \${CometChat.login()} CometChat.init()\`
    const found = /CometChat.init()/.test(text)
    other.CometChat.init()`
  expect(namesIn(other)).toEqual(['login'])
})

test('constants, types, builders, listeners and variables', () => {
  const source = `import { CometChat } ${from}
    const type: string = CometChat.RECEIVER_TYPE.USER
    let user: CometChat.User
    const request = new CometChat.UsersRequestBuilder().setLimit(f({ a: 1 })).friendsOnly(true).build()
    request.fetchNext()
    const message = new CometChat.TextMessage(uid, text, type)
    message.setTags(['a'])
    const builder: CometChat.GroupsRequestBuilder = new CometChat.GroupsRequestBuilder()
    builder.joinedOnly(true)
    CometChat.addMessageListener(id, new CometChat.MessageListener({
      onTextMessageReceived: (one) => { show({ onOther: one }) },
      async onMessagesRead(receipt) { mark(receipt) },
      onTypingStarted,
    }))`
  expect(namesIn(source)).toEqual([
    'RECEIVER_TYPE.USER',
    'User',
    'UsersRequestBuilder',
    'UsersRequestBuilder.setLimit',
    'UsersRequestBuilder.friendsOnly',
    'UsersRequestBuilder.build',
    'UsersRequest.fetchNext',
    'TextMessage',
    'TextMessage.setTags',
    'GroupsRequestBuilder',
    'GroupsRequestBuilder',
    'GroupsRequestBuilder.joinedOnly',
    'addMessageListener',
    'MessageListener',
    'MessageListener.onTextMessageReceived',
    'MessageListener.onMessagesRead',
    'MessageListener.onTypingStarted',
  ])
})

test('JSX, quotes in its text, and regular expressions do not confuse it', () => {
  const source = `import { CometChat } ${from}
    const View = () => <p title="a">Don't {CometChat.getConnectionStatus()} <b/> it's</p>
    const half = a / b / CometChat.init
    const isName = (text) => /['"\`]/.test(text)
    CometChat.logout()`
  expect(namesIn(source)).toEqual(['getConnectionStatus', 'init', 'logout'])
})

test('the report has what is missing first, and says where', () => {
  const source = `import { CometChat } ${from}
    CometChat.login()
    CometChat.initiateCall()
    CometChat.whatever()
    CometChat.login()`
  expect(reportOf(rowsOf(new Map([['src/a.ts', source]]))).split('\n')).toEqual([
    'missing  CometChat.initiateCall  src/a.ts:3; throws',
    'unknown  CometChat.whatever      src/a.ts:4',
    expect.stringMatching(/^differs {2}CometChat\.login {9}src\/a\.ts:2 and 1 more; with an auth/),
    '3 names: 1 missing, 1 unknown, 1 differs, 0 works.',
  ])
})

test('the program reads a folder, but not what was installed into it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-scan-'))
  try {
    for (const path of ['src', 'node_modules/x']) mkdirSync(join(folder, path), { recursive: true })
    const source = `import { CometChat } ${from}\nCometChat.getUser('a')\n`
    for (const path of ['src/a.tsx', 'node_modules/x/b.js'])
      writeFileSync(join(folder, path), source)
    const program = fileURLToPath(new URL('../../bin/compat.js', import.meta.url))
    const text = execFileSync(process.execPath, [program, 'scan', folder], { encoding: 'utf8' })
    expect(text).toBe(
      'works    CometChat.getUser  src/a.tsx:2\n1 names: 0 missing, 0 unknown, 0 differs, 1 works.\n',
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
