import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from './tree.ts'

// Words that the code once had for things that have ordinary names: each fails, with the name to use.

const retired: Readonly<Record<string, RegExp>> = {
  'classifier, or rule check': /\w*judg\w*/i,
  job: /\b\w*errands?\b/i,
  'job runner': /\bcouriers?\b/i,
  partition: /\b\w*strands?\b|Strand/,
  'max…': /\bmost[A-Z]\w*/,
  batcher: /\b(?:append)?lanes?\b|Lane/,
  fixture: /\b\w*stages?\b|Stage/,
  'shadow tenant': /\btwins?\b|Twin/,
  'simulated client': /wanderer/i,
  onUserDeleted: /farewell/i,
  seed: /furnish/i,
  relationships: /\bcircles?\b|Circle/,
  membership: /\bseats?\b|Seat/,
  idempotent: /harmlessTwice/,
  'payload, or notify…': /\btellings?\b|\btell[A-Z]\w*|\b(?:open)?Telling\w*/,
  'ordering key': /webhook_lines|\b(?:open|hold|release|advance)Lines?\b/,
  'prepared, or frequent': /\bhot(?:test)?\b|\bHot[A-Z]?|_HOT_|\w+Hot[A-Z]/,
  'commit hook': /\bsinks?\b|Sink\b/,
}

/** Pictures, third-party texts, what people of the demo say, and what the hosted service calls things. */
const exempt =
  /\.svg$|^LICENSE|^NOTICE|^tools\/packages\/vendor\.ts$|package-lock\.json$|\/demo\/talk\/|^packages\/contract\/conformance\/|^docs\/compatibility\.md$/
const own = 'tools/retired-words.ts'
const isText = /\.(?:ts|tsx|mjs|sql|md|json|sh)$/

const complaints = projectFiles()
  .filter((path) => isText.test(path) && !exempt.test(path) && path !== own)
  .flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        Object.entries(retired).flatMap(([word, pattern]) => {
          const found = pattern.exec(line)?.[0]
          return found ? [`${path}:${index + 1}: "${found}" is retired; say ${word}`] : []
        }),
      ),
  )

for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0
