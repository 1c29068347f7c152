import type { Operation } from '@chorale/contract/operation'
import { pageHeaders } from '../service/console-page.ts'

/** What exists in the app that is called, by the name of the field that can mention it. */
export interface Known {
  readonly credentials: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** Where the operation is, on a listener that has all of them. */
export function prefixOf({ requires }: Operation): string {
  if (requires === 'session') return '/console/api'
  return requires === 'management' ? '' : '/v3'
}

/** Of whoever may call it. */
export function credentialsFor({ requires }: Operation, { credentials, values }: Known) {
  if (requires === 'session') return pageHeaders(credentials.session ?? '')
  if (requires !== 'authToken') return credentials
  const { apikey: _, ...others } = credentials
  return { ...others, authToken: values.authToken?.[0] ?? '' }
}
