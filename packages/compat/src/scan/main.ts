import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportOf, rowsOf } from './report.ts'

const isSource = /\.(?:[cm]?[jt]sx?|vue|svelte|html)$/
const isForeign = /(?:^|\/)(?:node_modules|dist|build|\.[^/]+)(?:\/|$)/

const [, , command, folder = '.'] = process.argv
if (command !== 'scan') {
  console.error('Use: compat scan [folder]')
  process.exit(2)
}
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => isSource.test(path) && !isForeign.test(path))
  .sort()
const files = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
console.log(reportOf(rowsOf(files)))
