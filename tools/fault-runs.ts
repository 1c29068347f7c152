/** Writes the table of docs/reliability.md from faults/runs.ndjson; `--check` only compares. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptRuns, sumOf, sums } from '../faults/report/kept.ts'
import { root } from './tree.ts'
import { writeOrCheck } from './written.ts'

const page = 'docs/reliability.md'
const [start, end] = ['<!-- runs: npm run faults -- keep -->', '<!-- end of runs -->']

const number = (value: number) => value.toLocaleString('en')
const runs = keptRuns()
const rows = sums(runs).map(([what, { runs, acknowledged, findings, gapMs }]) => {
  const cells = [what, runs, number(acknowledged), findings, `${(gapMs / 1000).toFixed(1)} s`]
  return `| ${cells.join(' | ')} |`
})
const all = sumOf(runs)

const table = `| Fault | Runs | Acknowledged | Lost, doubled, out of order, missing anywhere | Longest gap of writes |
|---|---|---|---|---|
${rows.join('\n')}

${number(all.runs)} runs, ${number(all.acknowledged)} acknowledged messages, ${all.findings} findings.`

const text = readFileSync(join(root, page), 'utf8')
const [from, to] = [text.indexOf(start), text.indexOf(end)]
if (from < 0 || to < from) throw new Error(`${page} has no place for the table of runs.`)
writeOrCheck(page, `${text.slice(0, from + start.length)}\n\n${table}\n\n${text.slice(to)}`)
