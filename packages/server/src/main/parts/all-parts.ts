/** What `chorale serve` runs; each may run in a process of its own. */
export const allParts = ['api', 'gateway', 'worker'] as const
export type Part = (typeof allParts)[number]
