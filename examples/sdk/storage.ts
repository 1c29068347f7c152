// A chat that a closed page does not forget.
import { connect, createChat, indexedDbStorage, type Positions } from '@chorale/sdk'

const url = 'wss://chat.example/v3/realtime'

/** Unsent messages and positions are kept. Each user has a storage of their own. */
export function openChat(uid: string, appId: string, authToken: string) {
  const storage = indexedDbStorage(`chorale-${uid}`)
  return createChat({ url, appId, authToken, storage })
}

/** Only the positions, by hand. */
export function openSession(appId: string, authToken: string) {
  const kept: Positions = JSON.parse(localStorage.getItem('positions') ?? '{}')
  return connect({
    url,
    appId,
    authToken,
    positions: kept,
    onPositions: (positions) => localStorage.setItem('positions', JSON.stringify(positions)),
  })
}
