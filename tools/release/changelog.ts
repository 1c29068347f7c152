const heading = /^## (\d+\.\d+\.\d+.*)$/m

/** The text of one release in a page of changes, without its heading. */
export function sectionOf(page: string, version: string): string {
  const [, ...parts] = page.split(heading)
  const at = parts.indexOf(version)
  if (at < 0) throw new Error(`The page of changes has no section ${version}.`)
  return (parts[at + 1] ?? '').trim()
}

/** The sections of several packages as one: each note once, by kind of change. */
export function mergeSections(sections: readonly string[]): string {
  const kinds = new Map<string, Set<string>>()
  for (const section of sections) {
    const [, ...parts] = section.split(/^### (.*)$/m)
    for (let at = 0; at < parts.length; at += 2) {
      const kind = parts[at] ?? ''
      const notes = kinds.get(kind) ?? new Set()
      for (const note of (parts[at + 1] ?? '').split(/^(?=- )/m).map((text) => text.trim())) {
        if (note !== '' && !note.startsWith('- Updated dependencies')) notes.add(note)
      }
      kinds.set(kind, notes)
    }
  }
  return ['Major Changes', 'Minor Changes', 'Patch Changes']
    .map((kind) => [`### ${kind}`, [...(kinds.get(kind) ?? [])].join('\n')])
    .filter(([, notes]) => notes !== '')
    .map((lines) => lines.join('\n\n'))
    .join('\n\n')
}

/** The newest release stands first. */
export function withSection(page: string, version: string, section: string): string {
  const at = page.search(heading)
  const [head, rest] = at < 0 ? [page, ''] : [page.slice(0, at), page.slice(at)]
  return `${head.trimEnd()}\n\n## ${version}\n\n${section}\n${rest === '' ? '' : `\n${rest}`}`
}
