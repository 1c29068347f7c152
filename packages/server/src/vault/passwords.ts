import { hash, verify } from '@node-rs/argon2'
import { type FairSlots, openFairSlots } from '../limits/fair-slots.ts'

/** Argon2id with the parameters that OWASP names first: 19 MiB and some 50 ms of a core each. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const maxWaitingPerApp = 50

/** Passwords that are only ever compared. Rejects with `NoSlot` when an app has too many in line. */
export interface Passwords {
  hash(appId: string, password: string): Promise<string>
  /** `admit` is called when it is this one's turn, and may refuse it by throwing. */
  verify(
    appId: string,
    passwordHash: string,
    password: string,
    admit: () => Promise<void>,
  ): Promise<boolean>
}

/** Hashes a few at a time, of one app half of them: the threads are those of everybody. */
export function openPasswords(concurrency: number): Passwords {
  const slots: FairSlots = openFairSlots({
    most: concurrency,
    maxPerKey: Math.ceil(concurrency / 2),
    maxWaitingPerKey: maxWaitingPerApp,
  })
  return {
    hash: (appId, password) => slots.use(appId, () => hash(password, cost)),
    verify: (appId, passwordHash, password, admit) =>
      slots.use(appId, async () => {
        await admit()
        return verify(passwordHash, password)
      }),
  }
}
