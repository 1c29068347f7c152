/**
 * Operations that another module serves than the one that describes them, each with both. The list only gets
 * shorter: a new operation is served by the module of its contract, and an entry that is no longer true fails.
 */
export const knownElsewhere: Readonly<Record<string, string>> = {}
