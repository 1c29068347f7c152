/** A text of the service, with what stands between backticks as code. */
export function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place.
    place % 2 === 1 ? <code key={place}>{part}</code> : <span key={place}>{part}</span>,
  )
}
