import { expect, test } from 'vitest'
import { Automaton, buildAutomaton } from './automaton.ts'

test('C2: a word of which enough was heard is passed over, nested in others or not', () => {
  const chain = Array.from({ length: 200 }, (_, n) => '字'.repeat(n + 1))
  const automaton = new Automaton(buildAutomaton(chain))
  const text = Uint16Array.from({ length: 3400 }, () => '字'.charCodeAt(0))
  const wanted = 7
  let told = 0
  const hear = (word: number) => {
    told++
    return word === wanted
  }
  automaton.walk(text, text.length, () => true, hear)
  // Once each; the one that is wanted at each place where it ends.
  expect(told).toBe(199 + text.length - wanted)
})
