import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

const sdk = fileURLToPath(new URL('../index.ts', import.meta.url))

interface Bundle {
  readonly modules: readonly string[]
  readonly code: string
  readonly gzipped: number
}

/** What a page loads that uses these names of the SDK, as a browser would get it. */
export async function bundle(names: string, format: 'es' | 'iife' = 'es'): Promise<Bundle> {
  const entry = 'virtual:page'
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id.endsWith(entry) ? entry : undefined),
        load: (id) => (id === entry ? `export ${names} from ${JSON.stringify(sdk)}` : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: [format], fileName: 'page', name: 'chorale' },
    },
  })
  // One format, so one output; not watching, so no watcher.
  const { output } = [built].flat()[0] as Rolldown.RolldownOutput
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
  const code = chunks.map((chunk) => chunk.code).join('')
  return {
    code,
    modules: chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => id !== entry)),
    gzipped: gzipSync(code).length,
  }
}
