import { openAppCache } from './app-cache.ts'

/**
 * The value itself, or an equal one that was given before under this name: what many hold takes its room
 * once. `text` stands for all of the value. A name is of one type.
 */
export type Share = <V extends object>(appId: string, name: string, value: V, text?: string) => V

/** Of at most `max` names. One that was dropped takes its room again. */
export function openSharedValues(max: number): Share {
  const known = openAppCache<{ readonly text: string; readonly value: object }>(max)
  return <V extends object>(
    appId: string,
    name: string,
    value: V,
    text = JSON.stringify(value),
  ) => {
    const before = known.get(appId, name)
    // What was given under this name is a V.
    if (before?.text === text) return before.value as V
    known.set(appId, name, { text, value })
    return value
  }
}
