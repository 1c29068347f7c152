// Calls of a device, without a connection.
import { ChoraleError, deviceClient } from '@chorale/sdk'

export async function groupsOf(appId: string, authToken: string, signal: AbortSignal) {
  const { listGroups } = deviceClient({ baseUrl: 'https://chat.example/v3', appId, authToken })
  try {
    const limits = { timeoutMs: 5000, retries: 2, signal }
    const { data } = await listGroups({ query: { hasJoined: true } }, limits)
    return data.map(({ name }) => name)
  } catch (error) {
    if (error instanceof ChoraleError && error.code === 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND') return []
    throw error
  }
}
