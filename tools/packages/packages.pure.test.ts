import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from '../tree.ts'
import { packAll } from './packed.ts'

// The short form of the proof: built and packed, unpacked into an empty folder, used from there.

const folder = mkdtempSync(join(tmpdir(), 'chorale-packages-'))
afterAll(() => rmSync(folder, { recursive: true }))
const modules = join(folder, 'user/node_modules')
const packed = packAll(folder).map((one) => {
  const target = join(modules, one.name)
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', one.tarball, '-C', target, '--strip', '1'])
  return { ...one, target }
})

describe.each(packed)('$name', ({ target, paths, exports, stylesheets }) => {
  test('has its licence, a README and what it exports, and neither tests nor sources', () => {
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md']))
    for (const sheet of Object.values(stylesheets ?? {})) {
      expect(paths).toContain(sheet.replace('./src/', 'dist/'))
    }
    for (const source of Object.values(exports)) {
      const built = source.replace('./src/', 'dist/').replace(/\.ts$/, '')
      expect(paths).toEqual(
        expect.arrayContaining([`${built}.js`, `${built}.js.map`, `${built}.d.ts`]),
      )
    }
    // A template is made of sources.
    const own = paths.filter((path) => !path.startsWith('template/'))
    expect(own.filter((path) => /test|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })

  test('imports no source, and no workspace but what it depends on', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
    const files = readdirSync(target, { recursive: true, encoding: 'utf8' })
    const code = files.filter((path) => /^(?:bin|dist|contract)\/.*(?:\.js|\.d\.ts)$/.test(path))
    const imports = /(?:from |import |import\(|new URL\()['"]([^'"]*\.ts|@chorale\/[^'"]*)['"]/g
    const wrong = code.filter((path) => {
      const text = readFileSync(join(target, path), 'utf8')
      return [...text.matchAll(imports)].some(([, name = '']) => !(name in dependencies))
    })
    expect(wrong).toEqual([])
  })
})

test('the SDK runs, and has no dependency', () => {
  const sdk = JSON.parse(readFileSync(join(modules, '@chorale/sdk/package.json'), 'utf8'))
  expect(sdk).toMatchObject({ dependencies: {} })
  expect(sdk).not.toHaveProperty('private')
  const code = "import('@chorale/sdk').then((sdk) => console.log(Object.keys(sdk).join(' ')))"
  const cwd = join(folder, 'user')
  const names = execFileSync(process.execPath, ['-e', code], { cwd, encoding: 'utf8' })
  const wanted = ['ChoraleError', 'connect', 'createChat', 'deviceClient', 'restClient']
  expect(names.trim().split(' ')).toEqual(expect.arrayContaining(wanted))
})

test('compat runs by the name of the SDK that it stands for, and scans', () => {
  const name = '@cometchat/chat-sdk-javascript'
  const aliased = join(modules, name)
  cpSync(join(modules, '@chorale/compat'), aliased, { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(aliased, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['@chorale/sdk'])
  const cwd = join(folder, 'user')
  const code = `import('${name}').then(({ CometChat }) => console.log(typeof CometChat.login))`
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })
  expect(run('-e', code)).toBe('function\n')
  writeFileSync(join(cwd, 'app.js'), `import { CometChat } from '${name}'\nCometChat.endCall()\n`)
  expect(run(join(aliased, 'bin/compat.js'), 'scan', '.')).toMatch(/^missing {2}CometChat\.endCall/)
})

test('the React package runs with the React of the application', () => {
  const target = join(modules, '@chorale/react')
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
  expect(Object.keys(manifest.dependencies)).toEqual(['@chorale/sdk'])
  expect(Object.keys(manifest.peerDependencies)).toEqual(['react'])
  symlinkSync(join(root, 'node_modules/react'), join(modules, 'react'))
  const code =
    "import('@chorale/react').then(({ useChat, ChatProvider }) => console.log(typeof useChat, typeof ChatProvider))"
  const cwd = join(folder, 'user')
  expect(execFileSync(process.execPath, ['-e', code], { cwd, encoding: 'utf8' })).toBe(
    'function function\n',
  )
})

test('create-chorale makes a project, and has no dependency', () => {
  const home = join(modules, 'create-chorale')
  expect(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).dependencies).toEqual({})
  const program = join(home, 'bin/create-chorale.js')
  execFileSync(process.execPath, [program, 'chat', '--no-install'], { cwd: folder })
  const template = readdirSync(join(home, 'template'), { recursive: true, encoding: 'utf8' })
  const made = readdirSync(join(folder, 'chat'), { recursive: true, encoding: 'utf8' })
  expect(made.sort()).toEqual(
    template.map((path) => path.replace('_gitignore', '.gitignore')).sort(),
  )
  expect(made).toEqual(expect.arrayContaining(['.gitignore', 'server.ts', 'src/main.ts']))
})
