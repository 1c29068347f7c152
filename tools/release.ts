/**
 * `version`: makes the next version and its section of CHANGELOG.md from the change notes.
 * `notes`: prints that section. `tag v1.2.3`: fails unless this is the version.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mergeSections, sectionOf, withSection } from './release/changelog.ts'

// Of the folder that it is run in, so that a test can run it in another.
const page = 'CHANGELOG.md'
const read = (path: string) => readFileSync(path, 'utf8')
const currentVersion = (): string => JSON.parse(read('packages/server/package.json')).version

function run(program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}

function makeVersion(): void {
  const before = currentVersion()
  run('node_modules/.bin/changeset', 'version')
  const version = currentVersion()
  if (version === before) throw new Error('There are no change notes.')
  const pages = globSync('packages/*/CHANGELOG.md').filter((path) => existsSync(path))
  const sections = pages.toSorted().map((path) => sectionOf(read(path), version))
  writeFileSync(page, withSection(read(page), version, mergeSections(sections)))
  for (const path of pages) rmSync(path)
}

const [, , command, tag] = process.argv
if (command === 'version') makeVersion()
else if (command === 'notes') console.log(sectionOf(read(page), currentVersion()))
else if (command === 'tag') {
  if (tag !== `v${currentVersion()}`) throw new Error(`The version is ${currentVersion()}.`)
} else throw new Error('Use version, notes or tag.')
