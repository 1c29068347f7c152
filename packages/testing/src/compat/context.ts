import type { CometChat } from '@chorale/compat'
import { vi } from 'vitest'
import type { RealtimeFixture } from '../service/realtime-fixture.ts'

export type Compat = typeof CometChat

/** What a snippet is run with: `ann` is logged in, `bob`, `cara` and `dan` are others. */
export interface Context extends RealtimeFixture {
  readonly CometChat: Compat
}

/** Code as the documentation of the hosted SDK has it, in our own words. */
export type Snippets = Readonly<Record<string, (context: Context) => Promise<void> | void>>

/** Waits until a listener has heard something. */
export function heard<T>(look: () => T | undefined): Promise<NonNullable<T>> {
  // What it waits for is there when it ends.
  return vi.waitUntil(look, { timeout: 15_000, interval: 5 }) as Promise<NonNullable<T>>
}
