#!/usr/bin/env node
// Plain JavaScript, so that an old Node can still say what is wrong.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Chorale needs Node 24 or later (26 is best); this is ${process.version}.`)
  process.exit(1)
}
await import('../src/main/chorale.ts')
