import * as members from '../cometchat.ts'
import { called, neverCalled } from '../listeners/callback-names.ts'
import { isMissing } from '../missing.ts'
import { differences, missingMembers } from './differences.ts'

export interface Name {
  /** Without `CometChat.`: `login`, `User`, `User.getUid`, `MESSAGE_TYPE.TEXT`. */
  readonly name: string
  readonly kind: 'function' | 'class' | 'method' | 'callback' | 'constant'
  readonly status: 'works' | 'differs' | 'missing'
  readonly note?: string
  /** The class of this interface that a method comes from, where it is another. */
  readonly inheritedFrom?: string
}

type Kind = Name['kind']

/** Every documented name, and whether it is there. */
export function allNames(): Name[] {
  const callbacks = [
    ...Object.entries(called).flatMap(([listener, names]) =>
      names.map((name) => nameOf(`${listener}.${name}`, 'callback')),
    ),
    ...Object.entries(neverCalled).flatMap(([kind, names]) =>
      names.map((name) => absent(`${listenerOf(kind)}.${name}`, 'callback', 'never called')),
    ),
  ]
  return [...Object.entries(members).flatMap(([name, value]) => namesIn(name, value)), ...callbacks]
}

function listenerOf(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Listener`
}

function nameOf(name: string, kind: Kind): Name {
  if ((missingMembers as readonly string[]).includes(name)) return absent(name, kind, 'throws')
  const note = differences[name]
  return note ? { name, kind, status: 'differs', note } : { name, kind, status: 'works' }
}

function absent(name: string, kind: Kind, note: string): Name {
  return { name, kind, status: 'missing', note }
}

const isUpper = (name: string) => /^[A-Z]/.test(name)

function namesIn(name: string, value: unknown): Name[] {
  if (typeof value === 'string') return [nameOf(name, 'constant')]
  if (typeof value === 'object' && value !== null) {
    const kind = isConstants(value) ? 'constant' : 'function'
    return Object.keys(value).map((key) => nameOf(`${name}.${key}`, kind))
  }
  if (typeof value !== 'function') return []
  const kind = isUpper(name) ? 'class' : 'function'
  if (isMissing(value)) return [absent(name, kind, 'throws')]
  if (kind === 'function') return [nameOf(name, kind)]
  return [nameOf(name, kind), ...methodsOf(name, value as new (...args: never[]) => object)]
}

function isConstants(value: object): boolean {
  return Object.values(value).every((one) => typeof one === 'string')
}

/** Names of our own between: what a message says to the service, and what a listener keeps. */
const internal = new Set(['constructor', 'content'])

function methodsOf(owner: string, given: Class): Name[] {
  const groups = Object.entries(given).filter(([, value]) => typeof value === 'object')
  return [
    ...[...methodNames(given)].map((name) => {
      const ancestor = ancestorWith(given, name)
      return {
        ...nameOf(`${owner}.${name}`, 'method'),
        ...(ancestor !== undefined && { inheritedFrom: ancestor }),
      }
    }),
    ...groups.flatMap(([group, value]) =>
      Object.keys(value).map((key) => nameOf(`${owner}.${group}.${key}`, 'constant')),
    ),
  ]
}

type Class = new (...args: never[]) => object

function methodNames(given: Class): Set<string> {
  const found = new Set<string>()
  for (
    let prototype: object = given.prototype;
    prototype !== Object.prototype && prototype !== Error.prototype;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) found.add(name)
  }
  for (const name of internal) found.delete(name)
  return found
}

function ancestorWith(given: Class, method: string): string | undefined {
  const found = Object.entries(members).find(([, one]: [string, unknown]) => {
    if (typeof one !== 'function' || typeof one.prototype !== 'object') return false
    return given.prototype instanceof one && method in one.prototype
  })
  return found?.[0]
}
