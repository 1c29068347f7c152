import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFiles, root } from './tree.ts'

// The length of files, the size of folders and of public APIs, and names that say nothing.

const maxLines = 400
const maxFilesInFolder = 25
const maxExportedNames = 20
const emptyNames = /^(?:utils?|helpers?|common|shared|misc)$/i
const isSource = /\.(?:ts|tsx|mts|cts|js|mjs|jsx)$/
const isGenerated = /\.generated\.|\.d\.ts$/
const isProduct = /^packages\/[^/]+\/src\/(?!.*\.test\.tsx?$)/
const isPublicApi = /^packages\/server\/src\/domain\/.*\/index\.ts$/

const files = projectFiles()
const sources = files.filter((path) => isSource.test(path) && !isGenerated.test(path))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

function emptyNamesIn(path: string): string[] {
  const names = path.split('/').map((part) => part.replace(/\..*$/, ''))
  const empty = names.find((name) => emptyNames.test(name))
  return empty ? [`${path}: "${empty}" is not a name; say what it holds`] : []
}

function longFile(path: string): string[] {
  const lines = textOf(path).trimEnd().split('\n').length
  return lines > maxLines ? [`${path}: ${lines} lines, ${maxLines} is the limit`] : []
}

function largeApi(path: string): string[] {
  const lists = textOf(path).matchAll(/export (?:type )?\{([^}]*)\}/g)
  const names = [...lists].flatMap(([, list = '']) => list.split(',').filter((name) => name.trim()))
  return names.length > maxExportedNames
    ? [`${path}: ${names.length} names, ${maxExportedNames} is the limit`]
    : []
}

function largeFolders(): string[] {
  const folders = Map.groupBy(
    sources.filter((path) => isProduct.test(path)),
    (path) => dirname(path),
  )
  return [...folders]
    .filter(([, inside]) => inside.length > maxFilesInFolder)
    .map(([folder, { length }]) => `${folder}: ${length} files, ${maxFilesInFolder} is the limit`)
}

const complaints = [
  ...files.flatMap(emptyNamesIn),
  ...sources.flatMap(longFile),
  ...sources.filter((path) => isPublicApi.test(path)).flatMap(largeApi),
  ...largeFolders(),
]
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0
