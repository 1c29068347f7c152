/**
 * What a code is answered with. `message` says what is wrong, `fix` what the developer can do about
 * it: it goes out as `devMessage`. `{name}` is filled from the values that a `Failure` carries.
 */
export interface ErrorText {
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 410 | 429 | 431 | 500 | 501 | 502 | 503
  readonly message: string
  readonly fix: string
}
