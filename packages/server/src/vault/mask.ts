/** Enough to recognise a secret, too little to use it. */
export function mask(secret: string): string {
  // By characters: half of one is nothing that PostgreSQL would keep.
  const letters = [...secret]
  if (letters.length <= 12) return '*'.repeat(letters.length)
  return letters.fill('*', 5, -5).join('')
}

/** Enough to tell two secrets apart. All PEM files end alike, so what counts is before that end. */
export function maskToLastFour(secret: string): string {
  const text = secret.replace(/-----END[^-]*-----\s*$/, '').trim()
  return `********${text.length > 12 ? [...text].slice(-4).join('') : ''}`
}

const secretNames =
  /^(certificate|pushToken|fcmToken|.*(apiKey|authToken|password|secret|private_?key|p8Key))$/i

/** JSON in which every field that is named like a secret is masked. */
export function withoutSecrets(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) =>
    secretNames.test(key) && typeof inner === 'string' ? mask(inner) : inner,
  )
}
