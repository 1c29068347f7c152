/** Copies files of code into the pages that show them; `--check` only compares. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from '../tree.ts'
import { writeOrCheck } from '../written.ts'

const shown = /(<!-- snippet: (\S+) -->\n```\w+\n)[\s\S]*?(^```$)/gm

for (const page of projectFiles('docs').filter((path) => path.endsWith('.md'))) {
  const text = readFileSync(join(root, page), 'utf8')
  const current = text.replaceAll(shown, (_, start: string, file: string, end: string) => {
    const code = readFileSync(join(root, file), 'utf8')
    return start + code + end
  })
  if (current !== text || process.argv.includes('--check')) writeOrCheck(page, current)
}
