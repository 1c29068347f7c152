/**
 * The users whose conversation has this label. There may be several such pairs: `a_user_b_user_c`
 * is a + b_user_c or a_user_b + c. With a viewer, only theirs, the viewer second.
 */
export function pairsOf(label: string, viewer: string | undefined): [string, string][] {
  const pairs: [string, string][] = []
  for (const { index } of label.matchAll(/(?=_user_)/g)) {
    const low = label.slice(0, index)
    const high = label.slice(index + '_user_'.length)
    if (low === '' || low >= high) continue
    if (viewer === undefined || viewer === high) pairs.push([low, high])
    else if (viewer === low) pairs.push([high, low])
  }
  return pairs
}
