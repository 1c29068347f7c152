// Aho–Corasick: finds all words of a dictionary in one walk over a text. Edges are a hash table of
// numbers, because a list may be of any script: a row per state would be as wide as the alphabet.
// Where most steps of a walk are, near the root and over common letters, there are rows all the same.

const root = 0
const rowWidth = 128
const maxRows = 1024

/** All that an automaton knows, as plain arrays: they can be made in one thread and used in another. */
export interface AutomatonTables {
  /** Where edges lead, as small as can be: most steps find a free place. Nothing leads to the root. */
  readonly edges: Int32Array<ArrayBuffer>
  /** By state: from which one and over which code unit an edge leads to it. */
  readonly from: Int32Array<ArrayBuffer>
  readonly unit: Uint16Array<ArrayBuffer>
  /** By state: where to go on when no edge fits, which word ends here, where shorter ones end. */
  readonly fallback: Int32Array<ArrayBuffer>
  readonly word: Int32Array<ArrayBuffer>
  readonly shorter: Int32Array<ArrayBuffer>
  /** The next state at once, of the first states and for the first code units. */
  readonly rows: Int32Array<ArrayBuffer>
}

export class Automaton {
  readonly #tables: AutomatonTables

  constructor(tables: AutomatonTables) {
    this.#tables = tables
  }

  /**
   * Tells of every word that ends at a unit where one can: its place in the list, and that of the
   * unit. False: nobody wants to hear more of this word, which then costs nothing in this walk.
   */
  walk(
    units: Uint16Array,
    length: number,
    canEndAt: (place: number) => boolean,
    found: (word: number, last: number) => boolean,
  ): void {
    const { rows, word: words, shorter } = this.#tables
    const done: Done = new Map()
    let state = root
    for (let place = 0; place < length; place++) {
      const unit = units[place] ?? 0
      const cell = state * rowWidth + unit
      state =
        unit < rowWidth && cell < rows.length
          ? (rows[cell] ?? root)
          : nextState(this.#tables, state, unit)
      if (state === root) continue
      const longest = words[state] === -1 ? (shorter[state] ?? root) : state
      if (longest === root || !canEndAt(place)) continue
      let ending = firstWanted(done, longest)
      while (ending !== root) {
        const next = shorter[ending] ?? root
        if (!found(words[ending] ?? -1, place)) done.set(ending, next)
        ending = firstWanted(done, next)
      }
    }
  }
}

/** By state whose word is not wanted any more: where to look for a shorter one. */
type Done = Map<number, number>

/** Every state on the way there leads there at once from now on. */
function firstWanted(done: Done, from: number): number {
  let wanted = from
  for (let next = done.get(wanted); next !== undefined; next = done.get(wanted)) wanted = next
  for (let state = from; state !== wanted; ) {
    const next = done.get(state) ?? wanted
    done.set(state, wanted)
    state = next
  }
  return wanted
}

/** The words are distinct, and none is empty. */
export function buildAutomaton(words: readonly string[]): AutomatonTables {
  const most = words.reduce((sum, { length }) => sum + length, 1)
  const room: Room = {
    edges: new Int32Array(2 ** Math.ceil(Math.log2(most * 1.25 + 2))),
    from: new Int32Array(most),
    unit: new Uint16Array(most),
    fallback: new Int32Array(most),
    word: new Int32Array(most).fill(-1),
    shorter: new Int32Array(most),
    states: 1,
  }
  addAll(room, words)
  return {
    edges: room.edges,
    from: room.from.slice(0, room.states),
    unit: room.unit.slice(0, room.states),
    fallback: room.fallback.slice(0, room.states),
    word: room.word.slice(0, room.states),
    shorter: room.shorter.slice(0, room.states),
    rows: rowsOf(room),
  }
}

interface Room extends Omit<AutomatonTables, 'rows'> {
  states: number
}

/** Letter by letter, so that a state has a higher number than those nearer to the root. */
function addAll(room: Room, words: readonly string[]): void {
  const reached = new Int32Array(words.length)
  let unfinished = words.map((_, place) => place)
  for (let depth = 0; unfinished.length > 0; depth++) {
    unfinished = unfinished.filter((place) => {
      const word = words[place] ?? ''
      const state = add(room, reached[place] ?? root, word.charCodeAt(depth))
      reached[place] = state
      const isLast = depth === word.length - 1
      if (isLast) room.word[state] = place
      return !isLast
    })
  }
  for (let state = 1; state < room.states; state++) {
    const fallback = room.fallback[state] ?? root
    room.shorter[state] = room.word[fallback] === -1 ? (room.shorter[fallback] ?? root) : fallback
  }
}

function add(room: Room, from: number, unit: number): number {
  const edge = findEdge(room, from, unit)
  const known = room.edges[edge] ?? root
  if (known !== root) return known
  const state = room.states++
  // Looked up before the edge exists, which would lead to itself.
  room.fallback[state] = from === root ? root : nextState(room, room.fallback[from] ?? root, unit)
  room.edges[edge] = state
  room.from[state] = from
  room.unit[state] = unit
  return state
}

function rowsOf(room: Room): Int32Array<ArrayBuffer> {
  const rows = new Int32Array(Math.min(room.states, maxRows) * rowWidth)
  for (let cell = 0; cell < rows.length; cell++) {
    rows[cell] = nextState(room, Math.floor(cell / rowWidth), cell % rowWidth)
  }
  return rows
}

type Edges = Pick<AutomatonTables, 'edges' | 'from' | 'unit' | 'fallback'>

function nextState(tables: Edges, from: number, unit: number): number {
  for (let state = from; ; state = tables.fallback[state] ?? root) {
    const to = tables.edges[findEdge(tables, state, unit)] ?? root
    if (to !== root || state === root) return to
  }
}

/** Where the edge is, or would be. */
function findEdge({ edges, from, unit: units }: Edges, state: number, unit: number): number {
  const mask = edges.length - 1
  const mixed = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b)
  for (let place = mixed ^ (mixed >>> 15); ; place++) {
    const edge = place & mask
    const to = edges[edge] ?? root
    if (to === root || (from[to] === state && units[to] === unit)) return edge
  }
}
