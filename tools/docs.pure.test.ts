import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pages as onSite } from '../docs/.vitepress/map.ts'
import { projectFiles, root } from './tree.ts'

const pages = projectFiles()
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('every link between pages and files leads somewhere', () => {
  const lost = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^[a-z]+:/.test(to) && !existsSync(join(root, dirname(path), to)))
      .map((to) => `${path}: ${to}`),
  )
  expect(lost).toEqual([])
})

test('code that a page shows is code that is there', () => {
  const shown = pages.flatMap(({ path: page, text }) =>
    [...text.matchAll(/```ts\n\/\/ (packages\/\S+)\n(.*?)```/gs)].map(
      ([, file = '', code = '']) => {
        const found = readFileSync(join(root, file), 'utf8').includes(code)
        return { page, file, found }
      },
    ),
  )
  expect(shown.length).toBeGreaterThan(0)
  expect(shown.filter(({ found }) => !found)).toEqual([])
})

test('every page of docs is on the site, once', () => {
  const inDocs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'))
  expect(inDocs.filter((path) => !onSite.includes(path))).toEqual([])
  expect(onSite.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(onSite.filter((path, index) => onSite.indexOf(path) !== index)).toEqual([])
})
