/**
 * An answer of many items, each a line of JSON, which goes out while it is read. What `pages` throws
 * after the first page cuts the answer off: its status is sent by then.
 */
export class Lines<T> {
  /** Never there; carries the type of the answer as if it were one object. */
  declare readonly value?: T
  readonly pages: AsyncIterable<readonly unknown[]>

  constructor(pages: AsyncIterable<readonly unknown[]>) {
    this.pages = pages
  }

  /** A page at a time. */
  async *texts(): AsyncGenerator<string> {
    for await (const page of this.pages) {
      if (page.length > 0) yield page.map((item) => `${JSON.stringify(item)}\n`).join('')
    }
  }
}
