import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from './tree.ts'

// Small rooms: the length of files, and names that say nothing.

const maxLines = 400
const emptyNames = /^(?:utils?|helpers?|common|shared|misc)$/i
const isSource = /\.(?:ts|tsx|mts|cts|js|mjs|jsx)$/
const isGenerated = /\.generated\.|\.d\.ts$/

const complaints = projectFiles().flatMap((path) => {
  const found: string[] = []
  const names = path.split('/').map((part) => part.replace(/\..*$/, ''))
  const empty = names.find((name) => emptyNames.test(name))
  if (empty) found.push(`${path}: "${empty}" is not a name; say what it holds`)
  if (isSource.test(path) && !isGenerated.test(path)) {
    const lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length
    if (lines > maxLines) found.push(`${path}: ${lines} lines, ${maxLines} is the limit`)
  }
  return found
})

for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0
