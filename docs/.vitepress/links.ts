import { posix, relative } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { root } from '../../tools/tree.ts'
import { pages, siteFile } from './map.ts'

/** Where files that are not on the site can be read; without it, links to them become plain text. */
const { DOCS_REPOSITORY: repository = '' } = process.env

/**
 * Links are relative to the file in the repository, as its other readers want them; the site has other paths.
 */
export function adaptToSite(md: MarkdownRenderer): void {
  md.core.ruler.push('site', ({ tokens, env }) => {
    const { path }: MarkdownEnv = env
    const folder = posix.dirname(relative(root, path))
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      // Otherwise Vue would read `{{name}}` as an expression.
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (!href || /^(?:[a-z]+:|#|\/)/i.test(href)) continue
      const [to = '', anchor] = href.split('#')
      const target = posix.join(folder, decodeURI(to))
      const page = [target, posix.join(target, 'README.md')].find((file) => pages.includes(file))
      if (page) token.attrSet('href', `/${siteFile(page)}${anchor ? `#${anchor}` : ''}`)
      else if (repository) token.attrSet('href', `${repository}/${target}`)
      else token.attrs = [['title', target]]
    }
  })
}
