/** Listeners by name of the event. */
export interface Emitter<E> {
  /** Returns the way to stop listening. */
  on<N extends keyof E>(name: N, listener: (event: E[N]) => void): () => void
  emit<N extends keyof E>(name: N, event: E[N]): void
}

export function openEmitter<E>(): Emitter<E> {
  const listeners: { [N in keyof E]?: Set<(event: E[N]) => void> } = {}
  return {
    on(name, listener) {
      const those = listeners[name] ?? new Set()
      listeners[name] = those
      those.add(listener)
      return () => void those.delete(listener)
    },
    emit(name, event) {
      for (const listener of [...(listeners[name] ?? [])]) {
        try {
          listener(event)
        } catch (error) {
          // A bug of the listener is not ours to hide, nor may it stop the session.
          setTimeout(() => {
            throw error
          })
        }
      }
    },
  }
}
