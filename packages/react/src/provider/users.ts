import type { Chat, Live, User } from '@chorale/sdk'

/** Users by uid, for what names nobody but a uid. Those asked for in the same turn are read together. */
export interface UserBook {
  of(uid: string): Live<User | undefined>
}

const maxAsked = 100
const books = new WeakMap<Chat, UserBook>()

/** One for each chat. */
export function usersOf(chat: Chat, onError: (error: unknown) => void): UserBook {
  const book = books.get(chat) ?? openBook(chat, onError)
  books.set(chat, book)
  return book
}

function openBook(chat: Chat, onError: (error: unknown) => void): UserBook {
  const known = new Map<string, User>()
  const listeners = new Map<string, Set<() => void>>()
  const lives = new Map<string, Live<User | undefined>>()
  const asked = new Set<string>()

  async function read(uids: readonly string[]): Promise<void> {
    const query = { uids, perPage: maxAsked }
    const { data } = await chat.session.call('listUsers', { query }, { retries: 2 })
    for (const user of data) {
      known.set(user.uid, user)
      for (const listener of [...(listeners.get(user.uid) ?? [])]) listener()
    }
  }

  function readAsked(): void {
    const all = [...asked]
    asked.clear()
    for (let from = 0; from < all.length; from += maxAsked) {
      read(all.slice(from, from + maxAsked)).catch(onError)
    }
  }

  function open(uid: string): Live<User | undefined> {
    const own = new Set<() => void>()
    listeners.set(uid, own)
    return {
      subscribe(listener) {
        own.add(listener)
        if (!known.has(uid)) {
          if (asked.size === 0) queueMicrotask(readAsked)
          asked.add(uid)
        }
        return () => void own.delete(listener)
      },
      getSnapshot: () => known.get(uid),
    }
  }

  return {
    of(uid) {
      const live = lives.get(uid) ?? open(uid)
      lives.set(uid, live)
      return live
    },
  }
}
