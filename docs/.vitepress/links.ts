import { posix, relative } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { root } from '../../tools/tree.ts'
import { pages, siteFile } from './map.ts'

/** Where files that are not on the site can be read; without it, links to them become plain text. */
const { DOCS_REPOSITORY: repository = '' } = process.env

/** The address of a relative link on the site; undefined if there is none. */
function addressOf(href: string, folder: string): string | undefined {
  const [to = '', anchor] = href.split('#')
  const target = posix.join(folder, decodeURI(to))
  const page = [target, posix.join(target, 'README.md')].find((file) => pages.includes(file))
  if (page) return `/${siteFile(page)}${anchor ? `#${anchor}` : ''}`
  return repository ? `${repository}/${target}` : undefined
}

/**
 * Links are relative to the file in the repository, as its other readers want them; the site has other paths.
 */
export function adaptToSite(md: MarkdownRenderer): void {
  md.core.ruler.push('site', ({ tokens, env }) => {
    // `path` is the one on the site.
    const { path, realPath = path }: MarkdownEnv = env
    const folder = posix.dirname(relative(root, realPath))
    let isPlain = false
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      // Otherwise Vue would read `{{name}}` as an expression.
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
      if (token.type === 'link_close' && isPlain) token.tag = 'span'
      if (token.type !== 'link_open') continue
      const href = token.attrGet('href') ?? ''
      const isRelative = !/^(?:[a-z]+:|#|\/)/i.test(href)
      const address = isRelative ? addressOf(href, folder) : href
      isPlain = address === undefined
      if (address !== undefined) token.attrSet('href', address)
      else {
        token.tag = 'span'
        token.attrs = null
      }
    }
  })
}
