/** The address of a picture that a page may load. */
export function safeImage(url: string | undefined): string | undefined {
  return url !== undefined && /^(?:https?:|blob:|data:image\/)/i.test(url) ? url : undefined
}
