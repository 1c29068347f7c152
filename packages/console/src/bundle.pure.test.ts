import { gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'
import { expect, test } from 'vitest'
import { buildConsole } from '../../../tools/packages/console.ts'

const maxFirstLoad = 250_000
const built = await buildConsole()
// One format, so one output; not watching, so no watcher.
const { output } = [built].flat()[0] as Rolldown.RolldownOutput
const files = new Map(output.map((file) => [file.fileName, file]))

function sizeOf(name: string): number {
  const file = files.get(name)
  if (!file) throw new Error(`There is no ${name}.`)
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}

/** What the page asks for before anything is shown: itself, its scripts and styles. */
function firstLoad(): string[] {
  const entry = output.find((file) => file.type === 'chunk' && file.isEntry)
  const wanted = [entry?.fileName ?? '']
  for (const name of wanted) {
    const file = files.get(name)
    if (file?.type !== 'chunk') continue
    for (const other of file.imports) if (!wanted.includes(other)) wanted.push(other)
  }
  const styles = [...files.keys()].filter((name) => name.endsWith('.css'))
  return [...wanted, ...styles, 'index.html']
}

test('the first load of the console is at most 250 KB gzipped', () => {
  const loaded = firstLoad()
  const bytes = loaded.reduce((sum, name) => sum + sizeOf(name), 0)
  const all = [...files.keys()].reduce((sum, name) => sum + sizeOf(name), 0)
  console.log(`console: the first load takes ${bytes} bytes gzipped, all pages together ${all}`)
  expect(bytes).toBeLessThanOrEqual(maxFirstLoad)
})

test('the page has no script and no style in it, and loads its own files only', () => {
  const page = String(Object(files.get('index.html')).source)
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/)
  const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to)
  expect(loaded.filter((to) => !/^(?:\/console\/assets\/[\w.-]+|data:,)$/.test(to ?? ''))).toEqual(
    [],
  )
})
