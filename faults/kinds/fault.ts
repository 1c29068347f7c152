/** Something that goes wrong, and how it is set right. */
export interface Fault {
  readonly name: string
  /** In a sentence, for the list and the report. */
  readonly what: string
  /** How long it lasts before it is set right. */
  readonly seconds: number
  /** Why it cannot be tried on this machine. */
  cannot?(): Promise<string | undefined>
  /** Returns what sets it right. */
  begin(): Promise<() => Promise<void>>
}

export const nothing = async () => undefined
