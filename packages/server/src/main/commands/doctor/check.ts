import type { Subject } from './subject.ts'

type Level = 'ok' | 'warning' | 'failure'

export interface Finding {
  readonly level: Level
  /** What is wrong, in one sentence; of what is in order, what was seen. */
  readonly text: string
  /** What to do, naming a command or a setting. */
  readonly remedy?: string
  /** Returns what was done, in a few words. */
  readonly repair?: (report: (line: string) => void) => Promise<string>
}

export interface Check {
  readonly name: string
  /** What it looks at, for docs/operate/doctor.md. */
  readonly looksAt: string
  /** Checks that must not have failed; otherwise this one is skipped. */
  readonly needs: readonly string[]
  run(subject: Subject): Promise<Finding>
}

export const ok = (text: string): Finding => ({ level: 'ok', text })

type Repair = Finding['repair']

export function warning(text: string, remedy: string, repair?: Repair): Finding {
  return { level: 'warning', text, remedy, ...(repair && { repair }) }
}

export function failure(text: string, remedy: string, repair?: Repair): Finding {
  return { level: 'failure', text, remedy, ...(repair && { repair }) }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
