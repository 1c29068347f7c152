#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still say what is wrong.
import { setFlagsFromString } from 'node:v8'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Chorale needs Node 24 or later (26 is best); this is ${process.version}.`)
  process.exit(1)
}

// V8 may place objects of a kind that lived long while the program warmed up directly into the old space, for ever. Those
// of a send keep 8 KB alive until the next full collection; which processes are hit is chance.
setFlagsFromString('--no-allocation-site-pretenuring')
await import('../src/main/chorale.ts')
