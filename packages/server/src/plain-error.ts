/** A mistake of whoever runs the program: the message says what to do, a stack would say nothing more. */
export class PlainError extends Error {}
