import { delimiter } from 'node:path'
import { fromFile, settingsSchema } from '../packages/server/src/config.ts'

/** A newcomer's environment: none of our settings, nothing that `npm run` added for this clone. */
export function newcomer(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const settings = [...Object.keys(settingsSchema.properties), ...fromFile.map((n) => `${n}_FILE`)]
  const added = /^(?:npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$)/
  const kept = Object.entries(process.env).filter(
    ([name]) => !settings.includes(name) && !added.test(name),
  )
  const folders = (process.env.PATH ?? '').split(delimiter)
  const path = folders.filter((folder) => !folder.endsWith('node_modules/.bin')).join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path, ...own }
}
