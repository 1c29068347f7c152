import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { slug } from '../../tools/docs/markdown.ts'
import { projectFiles, root } from '../../tools/tree.ts'
import { adaptToSite } from './links.ts'
import { pages, parts, siteFile } from './map.ts'

/** Where the site is: `/guide/` under a service in development, any folder when it is published. */
const { DOCS_BASE: base = '/guide/' } = process.env

const item = (page: string): DefaultTheme.SidebarItem => ({
  text: /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? page,
  link: `/${siteFile(page)}`,
})

const sidebars = parts.map(({ sections }) =>
  sections.map(({ title, pages: inside }) => ({
    text: title,
    collapsed: title === 'Decisions',
    items: inside.map(item),
  })),
)

/** A page shows the pages of its own part. */
const sidebar: DefaultTheme.SidebarMulti = Object.fromEntries(
  parts.flatMap(({ sections }, index) =>
    sections.flatMap((section) =>
      section.pages.map((page) => [
        `/${siteFile(page).replace(/(?:index)?\.md$/, '')}`,
        sidebars[index] ?? [],
      ]),
    ),
  ),
)

export default defineConfig({
  title: 'Chorale',
  description: 'An open, self-hosted, multi-tenant chat back end',
  base,
  srcDir: root,
  srcExclude: projectFiles().filter((path) => path.endsWith('.md') && !pages.includes(path)),
  rewrites: Object.fromEntries(pages.map((page) => [page, siteFile(page)])),
  cacheDir: join(root, 'build/docs-cache'),
  outDir: join(root, 'build/docs'),
  metaChunk: true,
  // Addresses of a local install.
  ignoreDeadLinks: 'localhostLinks',
  markdown: { config: adaptToSite, anchor: { slugify: slug } },
  themeConfig: {
    search: { provider: 'local' },
    nav: parts.map(({ title, sections }) => ({
      text: title,
      link: `/${siteFile(sections[0]?.pages[0] ?? '')}`,
    })),
    sidebar,
    outline: [2, 3],
  },
})
