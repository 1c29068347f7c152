import { createCipheriv, createHash } from 'node:crypto'

/** Chance that a seed repeats. */
export interface Random {
  /** A whole number from 0 to `n` - 1. */
  below(n: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** A name, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

export function seeded(seed: string): Random {
  // A cipher over nothing is as even as chance gets.
  const key = createHash('sha256').update(seed).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  const nothing = Buffer.alloc(4096)
  let bytes = Buffer.alloc(0)
  let at = 0
  const fraction = () => {
    if (at === bytes.length) {
      bytes = cipher.update(nothing)
      at = 0
    }
    at += 4
    return bytes.readUInt32LE(at - 4) / 2 ** 32
  }
  const below = (n: number) => Math.floor(fraction() * n)
  return {
    below,
    chance: (probability) => fraction() < probability,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('There is nothing to pick from.')
      return item
    },
    weighted<K extends string>(weights: Readonly<Record<K, number>>) {
      // The keys of a record of K are K.
      const names = Object.keys(weights) as K[]
      let rest = fraction() * names.reduce((sum, name) => sum + weights[name], 0)
      for (const name of names) {
        rest -= weights[name]
        if (rest < 0) return name
      }
      throw new Error('There is nothing to pick from.')
    },
  }
}
