const mention = /<@uid:([\w-]{1,100})>/g

/** What a message says, with `@Ann` in place of `<@uid:ann>`; undefined: it has no text. */
export function textWithNames(data: unknown): string | undefined {
  const { text, mentions } = Object(data) as { text?: unknown; mentions?: unknown }
  if (typeof text !== 'string' || text === '') return undefined
  return text.replaceAll(mention, (_, uid: string) => {
    const { name } = Object(Object(mentions)[uid.toLowerCase()]) as { name?: unknown }
    return `@${typeof name === 'string' ? name : uid}`
  })
}
