import { rawObject, withFields } from '../../../pipeline/raw-json.ts'

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
  return withFields(rawObject({ trigger }, { data }), { appId, region, webhook, ...more })
}
