/** Two devices, of which one writes to the other. */
export interface Pair {
  /** Resolves when the sender may send again. */
  send(says: string): Promise<void>
}

/** The text of a message begins with its number, in so many digits. */
export const numberLength = 8
