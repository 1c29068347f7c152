// Aho–Corasick: finds all words of a dictionary in one walk over a text. Edges are a hash table of
// numbers, because a list may be of any script: a row per state would be as wide as the alphabet.
// Where most steps of a walk are, near the root and over common letters, there are rows all the same.

const root = 0
const rowWidth = 128
const mostRows = 1024

export class Automaton {
  /** Where edges lead, as small as can be: most steps find a free place. Nothing leads to the root. */
  readonly #edges: Int32Array
  readonly #mask: number
  /** By state: from which one and over which code unit an edge leads to it. */
  readonly #from: Int32Array
  readonly #unit: Uint16Array
  /** By state: where to go on when no edge fits, which word ends here, where shorter ones end. */
  readonly #fallback: Int32Array
  readonly #word: Int32Array
  readonly #shorter: Int32Array
  /** The next state at once, of the first states and for the first code units. */
  readonly #rows: Int32Array
  #states = 1

  /** The words are distinct. */
  constructor(words: readonly string[]) {
    const most = words.reduce((sum, { length }) => sum + length, 1)
    const places = 2 ** Math.ceil(Math.log2(most * 1.25 + 2))
    this.#mask = places - 1
    this.#edges = new Int32Array(places)
    this.#from = new Int32Array(most)
    this.#unit = new Uint16Array(most)
    this.#fallback = new Int32Array(most)
    this.#word = new Int32Array(most).fill(-1)
    this.#shorter = new Int32Array(most)
    this.#addAll(words)
    this.#rows = new Int32Array(Math.min(this.#states, mostRows) * rowWidth)
    this.#fillRows()
  }

  /** Tells of every word that ends at a unit: its place in the list, and that of the unit. */
  walk(units: Uint16Array, length: number, found: (word: number, last: number) => void): void {
    const rows = this.#rows
    const words = this.#word
    const shorter = this.#shorter
    let state = root
    for (let place = 0; place < length; place++) {
      const unit = units[place] ?? 0
      const cell = state * rowWidth + unit
      state = unit < rowWidth && cell < rows.length ? (rows[cell] ?? root) : this.#next(state, unit)
      if (state === root) continue
      let ending = words[state] === -1 ? (shorter[state] ?? root) : state
      for (; ending !== root; ending = shorter[ending] ?? root) found(words[ending] ?? -1, place)
    }
  }

  /** Letter by letter, so that a state has a higher number than those nearer to the root. */
  #addAll(words: readonly string[]): void {
    const reached = new Int32Array(words.length)
    const deepest = words.reduce((most, { length }) => Math.max(most, length), 0)
    for (let depth = 0; depth < deepest; depth++) {
      for (const [place, word] of words.entries()) {
        if (depth >= word.length) continue
        const state = this.#add(reached[place] ?? root, word.charCodeAt(depth))
        reached[place] = state
        if (depth === word.length - 1) this.#word[state] = place
      }
    }
    for (let state = 1; state < this.#states; state++) {
      const fallback = this.#fallback[state] ?? root
      this.#shorter[state] =
        this.#word[fallback] === -1 ? (this.#shorter[fallback] ?? root) : fallback
    }
  }

  #add(from: number, unit: number): number {
    const edge = this.#find(from, unit)
    const known = this.#edges[edge] ?? root
    if (known !== root) return known
    const state = this.#states++
    // Looked up before the edge exists, which would lead to itself.
    this.#fallback[state] = from === root ? root : this.#next(this.#fallback[from] ?? root, unit)
    this.#edges[edge] = state
    this.#from[state] = from
    this.#unit[state] = unit
    return state
  }

  #fillRows(): void {
    for (let cell = 0; cell < this.#rows.length; cell++) {
      const state = Math.floor(cell / rowWidth)
      this.#rows[cell] = this.#next(state, cell % rowWidth)
    }
  }

  #next(from: number, unit: number): number {
    for (let state = from; ; state = this.#fallback[state] ?? root) {
      const to = this.#edges[this.#find(state, unit)] ?? root
      if (to !== root || state === root) return to
    }
  }

  /** Where the edge is, or would be. */
  #find(state: number, unit: number): number {
    const mixed = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b)
    for (let place = mixed ^ (mixed >>> 15); ; place++) {
      const edge = place & this.#mask
      const to = this.#edges[edge] ?? root
      if (to === root || (this.#from[to] === state && this.#unit[to] === unit)) return edge
    }
  }
}
