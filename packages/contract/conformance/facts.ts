import { readdirSync, readFileSync } from 'node:fs'
import type { Facts } from '../src/conformance.ts'
import type { Shapes } from '../src/conformance-notation.ts'

interface Choice {
  readonly area: string
  readonly question: string
  readonly choice: string
}

/** Files of this folder that hold something else than operations. */
const others = new Set([
  'shapes.json',
  'planned.json',
  'choices.json',
  'moving.json',
  'reports.json',
])

export function readFacts(): Facts {
  const names = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return {
    files: names
      .filter((name) => !others.has(name))
      .map((name) => read<Facts['files'][number]>(name)),
    shapes: read<Shapes>('shapes.json'),
    planned: read<string[]>('planned.json'),
  }
}

/** What matters to clients of the hosted service, the most likely break first. */
interface Move {
  readonly what: string
  readonly do: string
}

export const readMoving = () => read<Move[]>('moving.json')

/** Where what is published or reported of the hosted service differs from us, and stays so. */
interface Report {
  readonly case: string
  readonly elsewhere: string
  readonly here: string
  readonly source: string
  readonly date: string
}

export const readReports = () => read<Report[]>('reports.json')

export const readChoices = () => read<Choice[]>('choices.json')

function read<T>(name: string): T {
  // Our own files, checked by the tests that read them.
  return JSON.parse(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')) as T
}
