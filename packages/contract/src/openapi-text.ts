import type { Operation } from './operation.ts'

/** What people read of an operation: what it does, who may call it, and how to get the next page. */
export function descriptionOf(operation: Operation): string {
  const facts = [
    ['Who may call', whoMayCall(operation)],
    ['Pages', pagesOf(operation)],
    ['Roles', operation.feature && withoutFeature(operation.feature)],
    ['Audit', operation.audit && 'Every call leaves a row in the audit log.'],
  ]
  const lines = facts.flatMap(([name, text]) => (text ? [`- **${name}**: ${text}`] : []))
  return [operation.description, lines.join('\n')].join('\n\n')
}

function withoutFeature(feature: string): string {
  return `Refused to users of a role for which the feature \`${feature}\` is restricted.`
}

const callers: Readonly<Record<Operation['requires'], string>> = {
  authOnly: 'A server, with an API key of any scope.',
  fullAccess: 'A server, with an API key of the scope `fullAccess`.',
  authToken: 'Only a device, with the auth token of its user.',
  management: 'The operator, with a management key.',
  session: 'A collaborator who has signed in to the console.',
}

const actsFor: Readonly<Record<NonNullable<Operation['onBehalfOf']>, string>> = {
  optional:
    'The header `onBehalfOf` names the user as whom it acts; without it, it acts as the app.',
  required: 'The header `onBehalfOf` must name the user as whom it acts.',
}

const onDevices: Readonly<Record<NonNullable<Operation['device']>, string>> = {
  acting: 'A device, with the auth token of its user, as whom it acts.',
  own: 'A device, with its auth token, for its own user only.',
}

function whoMayCall({ requires, onBehalfOf, device }: Operation): string {
  return [
    callers[requires],
    onBehalfOf && actsFor[onBehalfOf],
    device && requires !== 'authToken' && onDevices[device],
  ]
    .filter(Boolean)
    .join(' ')
}

/** What the schemas of a query say of a number. */
type Fields = Readonly<Record<string, { readonly default?: number; readonly maximum?: number }>>

function pagesOf({ query }: Operation): string | undefined {
  // Every field of a query is a JSON Schema.
  const fields: Fields = query?.properties ?? {}
  const size = ['limit', 'perPage'].find((name) => name in fields)
  const bounds = size === undefined ? undefined : fields[size]
  if (!bounds) return undefined
  const { default: standard, maximum } = bounds
  const rows = `\`${size}\` says how many rows: ${standard} if not sent, at most ${maximum}.`
  return `${rows} ${nextPage(fields)}`
}

/** How each kind of list says what comes next. */
function nextPage(fields: Fields): string {
  if ('cursor' in fields) {
    return (
      'Send `meta.cursor.next` of an answer as `cursor` for the next page; the last page has none. ' +
      '`page` counts from 1, for lists that are short.'
    )
  }
  if ('page' in fields) return '`page` counts from 1.'
  if ('after' in fields) return 'Send `meta.next.after` of an answer for the next page.'
  if ('sentAt' in fields || 'logId' in fields) {
    return (
      'Without a place the answer has the newest rows. Send the fields of `meta.previous` or ' +
      '`meta.next` for the page before or after it.'
    )
  }
  return 'Send the fields of `meta.next` of an answer for the next page; the last page has none.'
}
