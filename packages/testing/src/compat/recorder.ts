import type { Compat } from './context.ts'

interface Recorder {
  readonly CometChat: Compat
  /** Names that were used, as `packages/compat/src/names` has them. */
  readonly used: Set<string>
}

type Method = (this: object, ...args: unknown[]) => unknown
type Class = { prototype: object } & Record<string, unknown>

/** What is missing is a plain function, whatever its name. */
function isClass(name: string, value: unknown): boolean {
  return typeof value === 'function' && /^[A-Z]/.test(name) && String(value).startsWith('class')
}

/** Notes which names of the package are used. */
export function recording(compat: Compat): Recorder {
  const used = new Set<string>()
  const exported: [string, unknown][] = Object.entries(compat)
  const classes = exported.filter((entry): entry is [string, Class] => isClass(...entry))
  const patched = new Set<object>([Object.prototype, Error.prototype])
  for (const [name, one] of classes) {
    for (const [key, value] of Object.entries(one)) {
      if (typeof value === 'object' && value !== null) one[key] = noting(value, `${name}.${key}`)
    }
    for (
      let prototype = one.prototype;
      prototype && !patched.has(prototype);
      prototype = Object.getPrototypeOf(prototype)
    ) {
      patched.add(prototype)
      patch(prototype)
    }
  }
  return { CometChat: members(), used }

  function patch(prototype: object): void {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
      if (name === 'constructor' || typeof value !== 'function') continue
      const method: Method = value
      const wrapped: Method = function (...args) {
        for (const [owner, one] of classes) {
          if (Object.prototype.isPrototypeOf.call(one.prototype, this)) used.add(`${owner}.${name}`)
        }
        return method.apply(this, args)
      }
      Object.defineProperty(prototype, name, { value: wrapped, configurable: true, writable: true })
    }
  }

  function noting<T extends object>(group: T, owner: string): T {
    return new Proxy(group, {
      get(target, key, receiver) {
        used.add(`${owner}.${String(key)}`)
        return Reflect.get(target, key, receiver)
      },
    })
  }

  /** The exports; a listener notes the callbacks that it is given. */
  function members(): Compat {
    const all = exported.map(([name, value]) => {
      if (typeof value === 'object' && value !== null) return [name, noting(value, name)]
      if (!name.endsWith('Listener') || !isClass(name, value)) return [name, value]
      return [name, listener(name, value as new (given: object) => object)]
    })
    // The same names, each with what it was.
    const exports = Object.fromEntries(all) as Compat
    return new Proxy(exports, {
      get(target, key, receiver) {
        used.add(String(key))
        return Reflect.get(target, key, receiver)
      },
    })
  }

  function listener(name: string, one: new (given: object) => object) {
    return new Proxy(one, {
      construct(target, [given]: [object]) {
        for (const key of Object.keys(given)) used.add(`${name}.${key}`)
        return new target(given)
      },
    })
  }
}
