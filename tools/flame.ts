import { readFileSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'

// The second half of a profile of `node --cpu-prof`, behind the start, as a picture: a box is as wide
// as the time that was spent in a function and in all that it called; its callers stand below it.

const width = 1200
const rowHeight = 16
const letterWidth = 6.2
/** Of all time; what took less is left out. */
const leastShare = 0.002

/** By whose code it is. */
const colours = { ours: '#e8945a', library: '#7fb6d9', node: '#b9c3a0', engine: '#d0d0d0' }

interface Box {
  readonly name: string
  readonly owner: keyof typeof colours
  readonly callees: Map<string, Box>
  us: number
}

const [profilePath, picturePath] = process.argv.slice(2)
if (!profilePath || !picturePath) {
  console.error('usage: node tools/flame.ts PROFILE.cpuprofile PICTURE.svg')
  process.exit(1)
}
const profile: Profiler.Profile = JSON.parse(readFileSync(profilePath, 'utf8'))
writeFileSync(picturePath, drawn(boxesOf(profile)))

/** Without the time in which nothing was to be done. */
function boxesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Box {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callerOf = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const all: Box = { name: 'busy', owner: 'engine', callees: new Map(), us: 0 }
  for (let nth = samples.length >> 1; nth < samples.length; nth++) {
    const id = samples[nth]
    const frames: Profiler.ProfileNode['callFrame'][] = []
    for (let at = id; at !== undefined; at = callerOf.get(at)) {
      const frame = byId.get(at)?.callFrame
      if (frame && frame.functionName !== '(root)') frames.unshift(frame)
    }
    if (frames.at(-1)?.functionName !== '(idle)') grow(all, frames, timeDeltas[nth] ?? 0)
  }
  return all
}

function grow(all: Box, frames: readonly Profiler.ProfileNode['callFrame'][], us: number): void {
  let box = all
  box.us += us
  for (const { functionName, url } of frames) {
    const name = `${functionName || '(unnamed)'} ${placeOf(url)}`.trim()
    const callee = box.callees.get(name) ?? { name, owner: ownerOf(url), callees: new Map(), us: 0 }
    box.callees.set(name, callee)
    callee.us += us
    box = callee
  }
}

/** A library by its name, a file of ours by its path in the package. */
function placeOf(url: string): string {
  const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  return library ?? url.replace(/.*packages\/[^/]+\/src\//, '')
}

function ownerOf(url: string): Box['owner'] {
  if (url === '') return 'engine'
  if (url.startsWith('node:')) return 'node'
  return url.includes('node_modules') ? 'library' : 'ours'
}

function drawn(all: Box): string {
  const parts: string[] = []
  let rows = 0
  const draw = (box: Box, left: number, row: number) => {
    const wide = (box.us / all.us) * width
    if (wide < leastShare * width) return
    rows = Math.max(rows, row + 1)
    parts.push(
      drawnBox(box, (100 * box.us) / all.us, { left, wide, bottom: (row + 1) * rowHeight }),
    )
    let next = left
    for (const callee of [...box.callees.values()].sort((a, b) => b.us - a.us)) {
      draw(callee, next, row + 1)
      next += (callee.us / all.us) * width
    }
  }
  draw(all, 0, 0)
  const height = rows * rowHeight
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-height} ${width} ${height}" ` +
    `font-family="sans-serif" font-size="11">\n<title>Where the time went</title>\n${parts.join('\n')}\n</svg>\n`
  )
}

interface Place {
  readonly left: number
  readonly wide: number
  readonly bottom: number
}

function drawnBox({ name, owner }: Box, percent: number, { left, wide, bottom }: Place): string {
  const letters = Math.floor((wide - 6) / letterWidth)
  const label = name.length <= letters ? name : `${name.slice(0, Math.max(0, letters - 1))}…`
  const [x, y, w] = [left, -bottom, wide].map((value) => value.toFixed(1))
  const text =
    letters < 3
      ? ''
      : `<text x="${(left + 3).toFixed(1)}" y="${-bottom + 12}">${escaped(label)}</text>`
  return (
    `<g><title>${escaped(name)}: ${percent.toFixed(1)}%</title>` +
    `<rect x="${x}" y="${y}" width="${w}" height="${rowHeight - 1}" fill="${colours[owner]}"/>${text}</g>`
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
