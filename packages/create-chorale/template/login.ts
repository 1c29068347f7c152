// Logs people in. The API key stays here; a page gets an auth token, with which it acts as one person.
import { ChoraleError, restClient } from '@chorale/sdk'
import type { Keys } from './keys.ts'

export function openLogin({ apiUrl, appId, apiKey }: Keys) {
  const chorale = restClient({ baseUrl: apiUrl, appId, apiKey })
  return {
    /** Here anybody is whom they say they are. Your application checks a password or a session first. */
    async logIn(uid: string) {
      await chorale.createUser({ body: { uid, name: uid } }).catch((error) => {
        if (error.code !== 'ERR_UID_ALREADY_EXISTS') throw error
      })
      const { data } = await chorale.createAuthToken({
        params: { uid },
        body: { lifetimeSeconds: 86_400 },
      })
      const url = `${apiUrl.replace(/^http/, 'ws')}/realtime`
      return { url, appId, authToken: data.authToken }
    },

    /** What is wrong with the address or the keys, if anything is. */
    async problem(): Promise<string | undefined> {
      try {
        await chorale.listUsers({ query: { perPage: 1 } })
        return undefined
      } catch (error) {
        return error instanceof ChoraleError
          ? `Chorale at ${apiUrl} refuses the keys: ${error.message}`
          : `Chorale does not answer at ${apiUrl}. Start it: npx chorale start`
      }
    },
  }
}
