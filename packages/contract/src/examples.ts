/** A call as it was made of a service that ran, and what it answered. */
export interface Example {
  readonly request: {
    readonly params?: Readonly<Record<string, unknown>>
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, unknown>>
    readonly onBehalfOf?: string
    readonly body?: unknown
    /** Parts of multipart/form-data; a file is named, not shown. */
    readonly form?: Readonly<Record<string, unknown>>
  }
  readonly answer: unknown
}

/** By the name of the operation. */
export type Examples = ReadonlyMap<string, Example>
