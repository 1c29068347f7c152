/** The console as static files: `node tools/packages/console.ts` writes `build/console`. */
import { join } from 'node:path'
import { build } from 'vite'
import { root } from '../tree.ts'

/** Undefined: nothing is written. */
export async function buildConsole(folder?: string) {
  const before = process.env.NODE_ENV
  // Tests have another, with which React and the JSX of the bundle are those of development.
  process.env.NODE_ENV = 'production'
  try {
    return await build({
      root: join(root, 'packages/console'),
      base: '/console/',
      configFile: false,
      logLevel: 'error',
      build: {
        ...(folder === undefined ? { write: false } : { outDir: folder, emptyOutDir: true }),
        target: 'esnext',
        modulePreload: { polyfill: false },
        // The service allows no address with data in it but those of pictures.
        assetsInlineLimit: 0,
      },
    })
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

if (import.meta.main) {
  const folder = join(root, 'build/console')
  await buildConsole(folder)
  console.log(folder)
}
