import { appSettingDefaults, type appSettings } from '@chorale/contract/apps'
import type { ItemOutcome } from '@chorale/contract/envelope'
import { badRequest } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { deleteSettings, readSettings, writeSettings } from './app-settings.sql.ts'

type Value = boolean | number | string[]

const defaults: ReadonlyMap<string, Value | readonly string[]> = new Map(
  Object.entries(appSettingDefaults),
)

export const appSettingHandlers: Handlers<typeof appSettings> = {
  async mapAppSettings({ body }, ctx) {
    const outcomes: Record<string, ItemOutcome> = {}
    const accepted: Record<string, Value> = {}
    for (const [key, value] of Object.entries(body.settings)) {
      const objection = objectionTo(key, value)
      outcomes[key] = { success: !objection, message: objection ?? 'Set.' }
      if (!objection) accepted[key] = value
    }
    await writeSettings(ctx.db, accepted)
    await ctx.outbox.append('app.settingsChanged', { keys: Object.keys(accepted) })
    return { data: outcomes }
  },

  async listAppSettings(_, ctx) {
    const standard = Object.fromEntries([...defaults].map(([key, value]) => [key, copyOf(value)]))
    return { data: { ...standard, ...(await readSettings(ctx.db)) } }
  },

  async unmapAppSettings({ body: { settings } }, ctx) {
    const unknown = settings.filter((key) => !defaults.has(key))
    if (unknown.length > 0) throw badRequest('settings', `No such setting: ${unknown.join(', ')}.`)
    await deleteSettings(ctx.db, settings)
    await ctx.outbox.append('app.settingsChanged', { keys: settings })
    return { data: { success: true, message: 'The settings have their defaults again.' } }
  },
}

function objectionTo(key: string, value: Value): string | undefined {
  const standard = defaults.get(key)
  if (standard === undefined) return 'No such setting.'
  return kindOf(value) === kindOf(standard) ? undefined : `Must be a ${kindOf(standard)}.`
}

function copyOf(value: Value | readonly string[]): Value {
  return typeof value === 'object' ? [...value] : value
}

function kindOf(value: Value | readonly string[]): string {
  return Array.isArray(value) ? 'list' : typeof value
}
