/**
 * The same bytes in blocks of this size, the last one apart. The memory of a block is used again for the
 * next: whoever reads one is done with it before asking for another.
 */
export async function* inBlocks(
  bytes: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafeSlow(size)
  let filled = 0
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; ) {
      const copied = chunk.copy(block, filled, from)
      from += copied
      filled += copied
      if (filled === size) {
        yield block
        filled = 0
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
