type Getters<F> = { [K in keyof F & string as `get${Capitalize<K>}`]: () => F[K] }
type Setters<F> = { [K in keyof F & string as `set${Capitalize<K>}`]: (value: F[K]) => void }

/** Fields, each with a getter and a setter of its name: `uid`, `getUid()`, `setUid(uid)`. */
type Accessors<F> = F & Getters<F> & Setters<F>

/** The class to extend: it has the methods, and its instances keep the fields. */
export function fieldsOf<F extends object>(names: readonly (keyof F & string)[]) {
  class Fields {}
  for (const name of names) {
    const ending = name.charAt(0).toUpperCase() + name.slice(1)
    define(Fields, `get${ending}`, function (this: Record<string, unknown>) {
      return this[name]
    })
    define(Fields, `set${ending}`, function (this: Record<string, unknown>, value: unknown) {
      this[name] = value
    })
  }
  // The loop has defined what the type says.
  return Fields as new () => Accessors<F>
}

function define(owner: new () => object, name: string, value: (...args: never[]) => unknown): void {
  Object.defineProperty(owner.prototype, name, { value, configurable: true, writable: true })
}
