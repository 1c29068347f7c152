import type { Readable } from 'node:stream'

/** An object that a client is about to bring. */
export interface Target {
  readonly key: string
  /** In bytes, exactly. */
  readonly size: number
  readonly type: string
  /** Unix seconds. Later than that the store refuses the bytes. */
  readonly expiresAt: number
}

/** A part of a target that comes in several. */
interface PartTarget extends Target {
  /** As `startParts` has named it. */
  readonly partsId: string
  /** From 1. */
  readonly number: number
  readonly partSize: number
}

/** How a client brings bytes: `POST` as a form with these fields and the bytes as `file`, `PUT` as the body. */
export interface Instruction {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** How an object is shown to whoever has its address. */
export interface Shown {
  readonly name: string
  readonly type: string
  /** Unix seconds. The same two make the same address, which browsers then have in their cache. */
  readonly signedAt: number
  readonly expiresAt: number
}

export interface StoredObject {
  readonly key: string
  readonly size: number
  /** Unix seconds. */
  readonly modifiedAt: number
}

export interface Range {
  readonly first: number
  readonly last: number
}

/** Where the bytes of files are. They are streamed, and never kept in memory. */
export interface Storage {
  /** The size that parts have, the last one apart. What is not larger comes whole. */
  readonly partSize: number
  put(target: Target): Instruction
  /** What a client has brought whole becomes the object. Brought again, it changes nothing. */
  accept(target: Pick<Target, 'key' | 'type'>): Promise<void>
  startParts(target: Target): Promise<string>
  putPart(part: PartTarget): Instruction
  /** Numbers of the parts that are there. */
  partsOf(key: string, partsId: string): Promise<readonly number[]>
  /** Makes one object of all parts. They must all be there. */
  endParts(target: Target, partsId: string): Promise<void>
  /** What has come of it is removed. */
  dropParts(key: string, partsId: string): Promise<void>
  /** Undefined: it is not there. */
  find(key: string): Promise<StoredObject | undefined>
  write(target: Omit<Target, 'expiresAt'>, bytes: Readable): Promise<void>
  /** Of a size that nobody knows before; returns it. Nothing is there when it fails. */
  take(target: Pick<Target, 'key' | 'type'>, bytes: AsyncIterable<Buffer>): Promise<number>
  /** Within the store. What is written to the one later does not change the other. */
  copy(key: string, to: Pick<Target, 'key' | 'type'>): Promise<void>
  read(key: string, range?: Range): Promise<Readable>
  /** What is not there is removed already. */
  remove(key: string): Promise<void>
  /** Everything whose key begins so, in any order. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** By which the object is read, without any other right. */
  address(key: string, shown: Shown): string
}

/** The objects of a file lie together. Names that somebody chose are no part of a key. */
export function keyOf(appId: string, fileId: string, part = 'original'): string {
  return `${prefixOf(appId, fileId)}${part}`
}

/** Of everything that a file has. */
export function prefixOf(appId: string, fileId: string): string {
  // A folder of a million others would be slow: the end of an id is random.
  return `${appId}/${fileId.slice(-2)}/${fileId}/`
}

/** Undefined: no key that this service has made. */
export function fileOfKey(
  key: string,
): { readonly appId: string; readonly fileId: string } | undefined {
  const [, appId, shard, fileId] = keyPattern.exec(key) ?? []
  if (appId === undefined || fileId === undefined || !fileId.endsWith(shard ?? ' '))
    return undefined
  return { appId, fileId }
}

const keyPattern =
  /^([A-Za-z0-9_-]{1,200})\/([0-9a-f]{2})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/[a-z0-9-]{1,50}(?:\.[a-z0-9-]{1,60})?$/
