/** What a bench found out. Figures are numbers, so that `--json` can be compared over time. */
export interface Report {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
  readonly notes: readonly string[]
  /** What `--json` prints at its top, for programs: `ratio` first of all. */
  readonly figures?: Readonly<Record<string, unknown>>
}

export interface Table {
  readonly title: string
  readonly rows: readonly Readonly<Record<string, string | number>>[]
}

export interface Goal {
  readonly what: string
  readonly value: number
  readonly atMost?: number
  readonly atLeast?: number
}

export function missed({ goals }: Report): Goal[] {
  return goals.filter(
    ({ value, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY }) =>
      !(value <= atMost && value >= atLeast),
  )
}

export function asText(report: Report): string {
  const goals = report.goals.map((goal) => {
    const verdict = missed({ ...report, goals: [goal] }).length === 0 ? 'kept' : 'MISSED'
    const wanted =
      goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`
    return `${verdict}: ${goal.what}: ${goal.value}, goal ${wanted}`
  })
  const parts = [...report.tables.map(tableText), goals.join('\n'), report.notes.join('\n')]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function tableText({ title, rows }: Table): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))]
  const widths = columns.map((_, place) =>
    Math.max(...lines.map((line) => line[place]?.length ?? 0)),
  )
  const aligned = lines.map((line) =>
    line
      .map((cell, place) =>
        // The first column names the row, the others are figures.
        place === 0 ? cell.padEnd(widths[place] ?? 0) : cell.padStart(widths[place] ?? 0),
      )
      .join('  '),
  )
  return [title, ...aligned].join('\n')
}
