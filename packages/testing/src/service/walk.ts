interface Listed<T> {
  readonly data: readonly T[]
  readonly meta: {
    readonly pagination: { readonly total_pages: number }
    readonly cursor?: { readonly next?: string }
  }
}

/** Every page of a list, asked for by number. */
export async function walkByPage<T>(
  list: (at: { page: number }) => Promise<Listed<T>>,
): Promise<T[][]> {
  const pages: T[][] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const { data, meta } = await list({ page })
    last = meta.pagination.total_pages
    pages.push([...data])
  }
  return pages
}

/** Every page of a list, each behind the cursor of the one before. */
export async function walkByCursor<T>(
  list: (at: { cursor?: string }) => Promise<Listed<T>>,
): Promise<T[][]> {
  const pages: T[][] = []
  let at: { cursor?: string } | undefined = {}
  while (at) {
    const { data, meta }: Listed<T> = await list(at)
    pages.push([...data])
    at = meta.cursor?.next === undefined ? undefined : { cursor: meta.cursor.next }
  }
  return pages
}
