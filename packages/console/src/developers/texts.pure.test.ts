import { allOperations } from '@chorale/contract/api'
import { appSettingDefaults } from '@chorale/contract/apps'
import { currentTriggers } from '@chorale/contract/webhooks'
import { expect, test } from 'vitest'
import { settings } from '../strings/developers.ts'
import { triggers } from '../strings/triggers.ts'
import { features } from './features.ts'

test('every setting of an app has a meaning', () => {
  expect(Object.keys(settings.meanings).toSorted()).toEqual(
    Object.keys(appSettingDefaults).toSorted(),
  )
})

test('every feature that a role can be denied is in the matrix', () => {
  const known = [...allOperations.values()].flatMap(({ feature }) => feature ?? [])
  expect([...features].toSorted()).toEqual([...new Set(known)].toSorted())
})

test('every trigger of a webhook can be chosen', () => {
  expect(triggers).toEqual(currentTriggers)
})
