import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { faults } from '../kinds/kinds.ts'
import type { Result } from '../load/run.ts'
import { root } from '../rig/layout.ts'

// The sum over all runs on any machine: a line for each in runs.ndjson, which is in the repository.

const file = join(root, 'faults/runs.ndjson')

export interface KeptRun extends Pick<Result, 'fault' | 'at' | 'acknowledged' | 'gapMs'> {
  readonly findings: number
  /** So many runs, of which only the sum is known. */
  readonly runs?: number
}

export interface Sum {
  readonly runs: number
  readonly acknowledged: number
  readonly findings: number
  readonly gapMs: number
}

export function keptRuns(): KeptRun[] {
  return linesOf(file).map((line) => JSON.parse(line))
}

/** Returns how many of them were not there yet. */
export function keep(results: readonly Result[]): number {
  const known = new Set(keptRuns().map(nameOf))
  const fresh = results
    .map(({ fault, at, acknowledged, findings, gapMs }) => {
      return { at, fault, acknowledged, findings: findings.length, gapMs }
    })
    .filter((run) => !known.has(nameOf(run)))
  const lines = [...linesOf(file), ...fresh.map((run) => JSON.stringify(run))]
  writeFileSync(file, `${lines.join('\n')}\n`)
  return fresh.length
}

export function sumOf(runs: readonly KeptRun[]): Sum {
  const total = (read: (run: KeptRun) => number) => runs.reduce((sum, run) => sum + read(run), 0)
  return {
    runs: total(({ runs: many = 1 }) => many),
    acknowledged: total(({ acknowledged }) => acknowledged),
    findings: total(({ findings }) => findings),
    gapMs: Math.max(0, ...runs.map(({ gapMs }) => gapMs)),
  }
}

const pairs = 'two at the same time, drawn at random'

/** By what has gone wrong, in the order of the list of faults; pairs are one. */
export function sums(runs: readonly KeptRun[]): [string, Sum][] {
  const whatOf = (run: KeptRun) =>
    run.fault.includes('+')
      ? pairs
      : (faults.find(({ name }) => name === run.fault)?.what ?? run.fault)
  const groups = Map.groupBy(runs, whatOf)
  const known = [...faults.map(({ what }) => what), pairs]
  const names = new Set([...known, ...groups.keys()])
  return [...names].flatMap((what) => {
    const some = groups.get(what)
    return some ? [[what, sumOf(some)] satisfies [string, Sum]] : []
  })
}

export function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean)
}

function nameOf({ at, fault }: Pick<KeptRun, 'at' | 'fault'>): string {
  return `${at} ${fault}`
}
