// Which Chorale to use, and with which key.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Keys {
  readonly apiUrl: string
  readonly appId: string
  /** It can do everything in the app, so it never leaves the server. */
  readonly apiKey: string
}

/** Those of `.env`; otherwise those of the `chorale start` in this folder or one above. */
export function findKeys(): Keys | undefined {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { API_URL: apiUrl, APP_ID: appId, API_KEY: apiKey } = process.env
  if (apiUrl && appId && apiKey) return { apiUrl, appId, apiKey }
  const file = startedFile(process.cwd())
  return file ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** `chorale start` keeps its address and keys in this file. */
function startedFile(folder: string): string | undefined {
  const file = join(folder, 'chorale-data/started.json')
  if (existsSync(file)) return file
  return folder === dirname(folder) ? undefined : startedFile(dirname(folder))
}

export const noKeys = `There is no Chorale here yet. Do one of these, then run npm start again:

  * Run \`npx chorale start\` in the folder above this one, in another terminal.
  * Or write the address and the keys of another Chorale into a file .env:

      API_URL=http://localhost:3000/v3
      APP_ID=...
      API_KEY=...

\`chorale start\` prints all three.`
