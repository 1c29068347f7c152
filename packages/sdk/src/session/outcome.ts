/** A promise that somebody else settles; `Promise.withResolvers` where there is none. */
export interface Outcome<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function openOutcome<T>(): Outcome<T> {
  // The function that a promise is made with is called at once.
  let settle: Pick<Outcome<T>, 'resolve' | 'reject'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, resolve: (value) => settle?.resolve(value), reject: (e) => settle?.reject(e) }
}
