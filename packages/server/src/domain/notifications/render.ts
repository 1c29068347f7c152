import { trimmed } from './push/trim.ts'

/** All that a template can speak of: nothing that the recipient may not see. */
export interface RenderContext {
  readonly message?: object
  /** In a mail or an SMS: what has not been read. */
  readonly messages?: readonly object[]
  /** The recipient. */
  readonly to?: object
  readonly senderDetails?: object
  readonly groupDetails?: object
  readonly reaction?: string
}

interface RenderOptions {
  /** Used instead where a placeholder finds nothing. */
  readonly fallback?: string | undefined
  readonly maxBytes: number
}

const placeholder = /\{\{ *([\w.-]{1,200}) *\}\}/g

/**
 * A template is data of a tenant: it names places in the context, and can do nothing else. What a
 * place does not have is left out.
 */
export function render(
  template: string,
  context: RenderContext,
  { fallback, maxBytes }: RenderOptions,
): string {
  let complete = true
  const text = template.replaceAll(placeholder, (_, path: string) => {
    const value = textAt(context, path)
    if (value === '') complete = false
    return withNames(value, context, maxBytes)
  })
  if (!complete && fallback !== undefined) return render(fallback, context, { maxBytes })
  return trimmed(text, maxBytes)
}

/** Empty where the path leads nowhere, or to more than a text. */
function textAt(context: object, path: string): string {
  let at: unknown = context
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return ''
    at = Reflect.get(at, name)
  }
  return typeof at === 'string' || typeof at === 'number' || typeof at === 'boolean' ? `${at}` : ''
}

const mention = /<@uid:([\w-]{1,100})>/g
/** A message has ten mentions at most, and each may shrink to a short name. */
const mentionRoom = 11 * ('<@uid:>'.length + 100)

/** `<@uid:ann>` is shown as `@Ann`. What is behind the last byte is never seen, so it is cut. */
function withNames(text: string, { message = {} }: RenderContext, maxBytes: number): string {
  const near = text.slice(0, maxBytes + mentionRoom)
  return near.replaceAll(mention, (_, uid: string) => {
    const id = uid.toLowerCase()
    return `@${textAt(message, `data.mentions.${id}.name`) || id}`
  })
}
