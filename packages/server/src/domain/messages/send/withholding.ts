import { withFields } from '../../../pipeline/raw-json.ts'
import type { Extra, Sealed, Verdict } from '../../log/entries/index.ts'
import type { NewEntry } from '../../log/index.ts'
import type { Judgement } from '../../rules/index.ts'

/** A message as its sender sees it. */
export interface Said {
  /** JSON text. */
  readonly data: string
  readonly extra: Extra | undefined
  readonly counts: boolean
  readonly shows: boolean
}

type Stored = Pick<NewEntry, 'data' | 'extra' | 'counts' | 'shows' | 'verdict'>

/** The data with what became of the message. */
export function moderated(data: string, { moderation }: Judgement): string {
  return withFields(data, { moderation })
}

/** As it is stored: what is withheld has its place in the log, and says nothing there. */
export function storedAs(said: Said, judgement: Judgement | undefined): Stored {
  const { data, extra, counts, shows } = said
  const { verdict } = judgement ?? {}
  if (!judgement || judgement.moderation.status === 'approved' || !verdict) {
    return {
      data,
      extra: extra && JSON.stringify(extra),
      counts,
      shows,
      verdict: verdict && JSON.stringify(verdict),
    }
  }
  const sealing: Verdict = { ...verdict, withheld: true, sealed: sealed(said) }
  return {
    data: '{}',
    extra: undefined,
    counts: false,
    shows: false,
    verdict: JSON.stringify(sealing),
  }
}

function sealed({ data, extra, counts, shows }: Said): Sealed {
  return { data: JSON.parse(data), extra: extra ?? null, counts, shows }
}
