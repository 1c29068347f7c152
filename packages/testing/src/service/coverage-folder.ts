import { fileURLToPath } from 'node:url'

/** Every test process notes here which answers it saw; `npm run coverage` adds them up. */
export const coverageFolder = fileURLToPath(
  new URL('../../../../node_modules/.cache/chorale/contract-coverage', import.meta.url),
)
