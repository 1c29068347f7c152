/** A file on the disk of this machine, and what its sender says of it. */
export interface Question {
  readonly path: string
  /** Where what is made of it is written. */
  readonly folder: string
  readonly name: string
  readonly declared: string
  readonly maxPixels: number
}

/** What was made of a file: an object of its own. */
export interface Made {
  readonly part: 'clean' | 'small' | 'medium' | 'large'
  readonly path: string
  readonly type: string
}

export interface Picture {
  readonly width: number
  readonly height: number
  /** In base64. */
  readonly thumbhash: string
}

export type Answer =
  | { readonly is: 'refused'; readonly why: string }
  | {
      readonly is: 'passed'
      /** The real one. */
      readonly type: string
      readonly made: readonly Made[]
      readonly picture?: Picture
    }
