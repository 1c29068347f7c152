/** What a browser may show by itself: nothing of it runs a script. Anything else is for saving. */
const shownInline = new Set([
  ...['image/avif', 'image/bmp', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'],
  ...['audio/aac', 'audio/flac', 'audio/mp4', 'audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/webm'],
  ...['video/mp4', 'video/ogg', 'video/quicktime', 'video/webm'],
])

/** The type that an object is served with. */
export function servedType(type: string): string {
  const [plain = ''] = type.toLowerCase().split(';')
  return shownInline.has(plain.trim()) ? plain.trim() : 'application/octet-stream'
}

/** `Content-Disposition`, for any name in any script. */
export function dispositionOf(name: string, type: string): string {
  const kind = servedType(type) === 'application/octet-stream' ? 'attachment' : 'inline'
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '_')
    .slice(0, 200)
    .toWellFormed()
  const plain = clean.replaceAll(/[^\x20-\x7e]|["%]/g, '_')
  if (plain === clean) return `${kind}; filename="${plain}"`
  // RFC 8187: what encodeURIComponent leaves and is not allowed there.
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
