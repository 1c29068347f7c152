import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './tree.ts'

// What is linked into the product must allow it: see docs/decisions/0006-apache-2.md.

const allowed = new Set([
  ...['Apache-2.0', 'MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['BlueOak-1.0.0', 'CC0-1.0', 'MIT-0', 'Unlicense'],
])

/** A shared library of its own, which only a separate process loads: see docs/decisions/0033-files-in-processes.md. */
const apart = /\/@img\/sharp-libvips-[a-z0-9-]+$/

interface Locked {
  readonly dev?: boolean
  readonly link?: boolean
  readonly optional?: boolean
}

const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)

/** `MIT`, or `(MIT OR CC0-1.0)`: of several, one that is allowed is enough. */
function isAllowed(licence: unknown): boolean {
  if (typeof licence !== 'string' || / (?:AND|WITH) /.test(licence)) return false
  const choices = licence.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => allowed.has(choice.trim()))
}

function complaints([path, { dev, link, optional }]: [string, Locked]): string[] {
  if (!path.includes('node_modules/') || dev || link || apart.test(path)) return []
  const manifest = join(root, path, 'package.json')
  // Made for another machine, so not installed here.
  if (optional && !existsSync(manifest)) return []
  const { license }: { license?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'))
  return isAllowed(license)
    ? []
    : [`${path}: the licence ${JSON.stringify(license)} is not allowed`]
}

const found = Object.entries(packages).flatMap(complaints)
for (const complaint of found) console.error(complaint)
process.exitCode = found.length > 0 ? 1 : 0
