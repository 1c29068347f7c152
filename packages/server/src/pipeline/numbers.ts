export const inexact = 'The number is too large to be kept exactly; send it as a string.'

export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
