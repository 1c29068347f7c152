declare module '@20minutes/s3rver' {
  class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly vhostBuckets: boolean
      readonly configureBuckets: readonly { readonly name: string }[]
    })
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
    readonly store: { getResourcePath(bucket: string, key: undefined, name: 'uploads'): string }
  }
  export = S3rver
}
