import { join } from 'node:path'
import { build } from 'vite'
import { root } from '../tree.ts'

/** Bundles the demo chat, with the SDK in it: three files, which `chorale start` serves. */
export async function buildDemo(folder: string): Promise<void> {
  await build({
    root: join(root, 'examples/chat'),
    base: '/demo/',
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'esnext',
      modulePreload: false,
      rolldownOptions: {
        output: { entryFileNames: 'demo.js', assetFileNames: 'demo[extname]' },
      },
    },
  })
}
