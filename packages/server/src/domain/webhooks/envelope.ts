import { inside } from '../../pipeline/printed.ts'

interface To {
  readonly appId: string
  readonly region: string
  readonly webhook: string
}

/** What is sent: `data` is JSON text already. */
export function envelope(
  trigger: string,
  data: string,
  { appId, region, webhook }: To,
  more: object = {},
): string {
  const text = inside(JSON.stringify({ trigger }), [`"data":${data}`])
  return inside(text, [JSON.stringify({ appId, region, webhook, ...more }).slice(1, -1)])
}
