/** `host:port` of a pooler before the server of DATABASE_URL, for `npm run test:engines -- pgbouncer`. */
const { TEST_POOLER, DATABASE_URL: server } = process.env

interface DatabaseSettings {
  readonly DATABASE_URL?: string
  readonly DATABASE_SESSION_URL?: string
  readonly DATABASE_POOLER?: string
}

/** The same settings, where a run goes through a pooler: by its address, with the switch. */
export function throughPooler<S extends DatabaseSettings>(settings: S): S {
  const direct = URL.parse(settings.DATABASE_URL ?? '')
  // An address of another server, or of a proxy, is what the test is about.
  if (!TEST_POOLER || direct?.host !== URL.parse(server ?? '')?.host) return settings
  if (settings.DATABASE_POOLER === 'transaction') return settings
  const pooled = new URL(direct?.href ?? '')
  pooled.host = TEST_POOLER
  return {
    ...settings,
    DATABASE_URL: pooled.href,
    DATABASE_SESSION_URL: direct?.href ?? '',
    DATABASE_POOLER: 'transaction',
  }
}
