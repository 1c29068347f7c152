/** A time of the service, in the zone of the browser. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at * 1000)
  return <time dateTime={date.toISOString()}>{date.toLocaleString()}</time>
}
