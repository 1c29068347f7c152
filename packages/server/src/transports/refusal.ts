/** Credentials with which no attempt can succeed. */
export class Refusal extends Error {}
