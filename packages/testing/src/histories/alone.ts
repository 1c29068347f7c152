import { expect } from 'vitest'
import { type Answer, GroupModel } from './model.ts'
import { type Fixture, play } from './player.ts'
import { checkViews, entryOf, stateOf } from './state.ts'
import { crowd, type History, lineOf } from './steps.ts'

/** One caller: every answer, and every row in the end, is the one that the model predicts. */
export async function playAlone(fixture: Fixture, { steps }: History): Promise<void> {
  const model = new GroupModel(crowd, fixture.actionsCount)
  const lines: string[] = []
  for (const step of steps) {
    const expected = model.take(step)
    const { code, each, seen } = await play(fixture, step)
    lines.push(`${lineOf(step)}: ${code}`)
    const answer: Answer = { code, ...(each && { each }), ...(seen && { seen }) }
    expect(answer, `the answers so far:\n${lines.join('\n')}\n`).toEqual(expected)
  }
  try {
    await compareRows(fixture, model)
  } catch (error) {
    throw new Error(`After this history:\n${lines.join('\n')}\n`, { cause: error })
  }
}

async function compareRows(fixture: Fixture, model: GroupModel): Promise<void> {
  const state = await stateOf(fixture)
  if (!state) return expect(model.owner).toBeUndefined()
  expect(state.members).toEqual(Object.fromEntries(model.members))
  expect(state.bans).toEqual([...model.bans].sort())
  expect(state.log.map(entryOf)).toEqual(model.log)
  expect(state.shownSeq).toBe(model.shownSeq)
  expect(state.participants).toEqual(
    [...model.positions.keys()].sort().map((uid) => {
      const { read, reset, tags } = model.positionOf(uid)
      const wanted = { uid, readSeq: read, resetSeq: reset, recount: model.unreadOf(uid) }
      return { ...wanted, tags: tags.length > 0 ? tags : expect.toSatisfy(isEmpty) }
    }),
  )
  await checkViews(fixture, state)
}

function isEmpty(tags: unknown): boolean {
  return tags === null || (Array.isArray(tags) && tags.length === 0)
}
