import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

const index = fileURLToPath(new URL('index.ts', import.meta.url))
const styles = new URL('styles.css', import.meta.url)

/** What a page loads beside React that uses these names: bytes, gzipped. */
async function sizeOf(names: string): Promise<number> {
  const entry = 'virtual:page'
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id.endsWith(entry) ? entry : undefined),
        load: (id) =>
          id === entry
            ? `export { createChat } from '@chorale/sdk'; export ${names} from ${JSON.stringify(index)}`
            : undefined,
      },
    ],
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: ['es'], fileName: 'page' },
      rolldownOptions: { external: ['react', 'react/jsx-runtime'] },
    },
  })
  // One format, so one output; not watching, so no watcher.
  const { output } = [built].flat()[0] as Rolldown.RolldownOutput
  const code = output.flatMap((file) => (file.type === 'chunk' ? [file.code] : []))
  return gzipSync(code.join('')).length
}

test('a whole chat screen, with the chat client and the styles, is below 60 KB gzipped', async () => {
  const code = await sizeOf('{ ChatProvider, ChatScreen }')
  const css = gzipSync(readFileSync(styles)).length
  console.log(`react: a chat screen takes ${code} bytes gzipped, its styles ${css}`)
  expect(code + css).toBeLessThan(60_000)
})

test('a page that uses hooks only loads no component', async () => {
  const code = await sizeOf('{ ChatProvider, useConversations, useMessages }')
  console.log(`react: hooks take ${code} bytes gzipped`)
  expect(code).toBeLessThan(20_000)
})
