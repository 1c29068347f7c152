#!/usr/bin/env node
await import('../src/scan/main.ts')
