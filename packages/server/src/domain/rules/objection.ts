/** To what somebody has given: in a thread of its own, where no answer is made. */
export class Objection extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
