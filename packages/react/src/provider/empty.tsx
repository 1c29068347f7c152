/** In the place of a list without rows. */
export function Empty({ text }: { readonly text: string }) {
  return <p className="chorale-empty">{text}</p>
}
