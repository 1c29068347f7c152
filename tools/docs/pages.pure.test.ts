import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { parts } from '../../docs/.vitepress/map.ts'
import { projectFiles, root } from '../tree.ts'
import { longSentencesKnown, unmarkedKnown } from './known.ts'
import { anchorsOf, fencesOf, proseOf, wordsIn } from './markdown.ts'
import { longSentences, readingEase } from './reading.ts'
import { misspelled } from './spelling.ts'

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const pagesOf = (title: string) =>
  parts
    .filter((part) => part.title === title)
    .flatMap(({ sections }) => sections.flatMap(({ pages }) => pages))
    .map((path) => ({ path, text: textOf(path) }))
const users = ['App developers', 'Operators'].flatMap(pagesOf)

test('every link to a place in a page finds a heading there', () => {
  const pages = projectFiles().filter((path) => path.endsWith('.md'))
  const lost = pages.flatMap((path) => {
    const prose = textOf(path).replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '')
    return [...prose.matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)]
      .filter(([, to = '']) => !/^[a-z]+:/.test(to))
      .filter(([, to = '', anchor = '']) => {
        const target = to === '' ? path : posix.join(posix.dirname(path), to)
        return existsSync(join(root, target)) && !anchorsOf(textOf(target)).includes(anchor)
      })
      .map(([link]) => `${path}: ${link}`)
  })
  expect(lost).toEqual([])
})

/** Languages of answers and files: nothing that a reader runs. */
const isShown = /^(?:json|text|)$/

test('code for users is run, is a file that is run, or says why it is neither', () => {
  const bare = users.flatMap(({ path, text }) => {
    const unmarked = fencesOf(text).filter(({ language, mark = '' }) => {
      const isMarked = /^(?:run(?:: .+)?|snippet: \S+|not run: .+)$/.test(mark)
      return !isMarked && !isShown.test(language)
    })
    const known = unmarkedKnown[path] ?? 0
    if (unmarked.length <= known) return []
    return [`${path}: ${unmarked.length} blocks without a mark, ${known} in tools/docs/known.ts`]
  })
  expect(bare).toEqual([])
})

test('files that pages show are run by a test', () => {
  const tests = projectFiles().filter((path) => path.endsWith('.test.ts'))
  const code = tests.map(textOf).join('\n')
  const shown = users.flatMap(({ text }) =>
    fencesOf(text).flatMap(({ mark }) => mark?.match(/^snippet: (\S+)$/)?.[1] ?? []),
  )
  expect(shown.length).toBeGreaterThan(8)
  // `tsc` compiles what no test names.
  const isRun = (file: string) => code.includes(posix.basename(file)) || /\.tsx?$/.test(file)
  expect(shown.filter((file) => !isRun(file))).toEqual([])
})

test('sentences for users are short, and their words are too', () => {
  const hard = users.flatMap(({ path, text }) => {
    const long = longSentences(text, 30)
    const known = longSentencesKnown[path] ?? 0
    return [
      ...(readingEase(text) < 65 ? [`${path}: a reading ease of ${readingEase(text)}`] : []),
      ...(long.length <= known ? [] : [`${path}: ${known} known, found ${long.join('\n  ')}`]),
    ]
  })
  expect(hard).toEqual([])
})

test('words of pages for users are spelled right', () => {
  const unknown = users.flatMap(({ path, text }) =>
    misspelled(wordsIn(proseOf(text))).map((word) => `${path}: ${word}`),
  )
  // A word that is right goes into tools/docs/words.txt.
  expect(unknown).toEqual([])
})

/** Words of the glossary that mean the same elsewhere, or have another meaning that everybody knows. */
const everyday = new Set(['app', 'change', 'contract', 'effect', 'head', 'part', 'signal', 'entry'])

test('a page with steps explains the words that are ours alone, or links to the glossary', () => {
  const own = [...textOf('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\* \|/gm)]
    .map(([, word = '']) => word)
    .filter((word) => !everyday.has(word))
  expect(own).toContain('muid')
  const unexplained = users
    .filter(({ path }) => path.startsWith('docs/develop/'))
    .flatMap(({ path, text }) =>
      own
        .filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(proseOf(text)))
        .filter((word) => !text.includes(`**${word}**`) && !text.includes('glossary.md'))
        .map((word) => `${path}: ${word}`),
    )
  expect(unexplained).toEqual([])
})
