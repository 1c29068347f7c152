import { Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { lockNamed, nameImported, requireOwn } from '../files/imported/index.ts'
import { describedBy } from '../messages/send/index.ts'
import type { Said, StoredItem } from './stored-item.ts'

interface Item {
  readonly said: Said | Failure
}

/** With what is known of the uploads that they name; most calls name none, and ask nothing. */
export async function withUploads<T extends Item>(
  ctx: WriteCtx,
  items: readonly T[],
): Promise<readonly T[]> {
  const ids = items.flatMap(({ said }) => ('uploads' in said && said.uploads?.ids) || [])
  if (ids.length === 0) return items
  const files = await lockNamed(ctx.db, ids)
  const described = (said: Said): Said | Failure => {
    if (!said.uploads) return said
    const { ids: named, content } = said.uploads
    try {
      const own = requireOwn(files, named, said.sender)
      const { data, files: entryFiles = [] } = describedBy(ctx.app, content, own)
      const extra = { ...said.extra, files: entryFiles }
      return { ...said, data: JSON.stringify(data), extra }
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }
  return items.map((item) =>
    item.said instanceof Failure ? item : { ...item, said: described(item.said) },
  )
}

/** Of messages that are new. */
export async function nameUploads({ db }: WriteCtx, fresh: readonly StoredItem[]): Promise<void> {
  const named = fresh.flatMap(({ said, target: { conversation }, placed: { seq } }) =>
    (said.extra.files ?? []).map(({ id: fileId }) => ({ ...conversation, seq, fileId })),
  )
  await nameImported(db, named)
}
