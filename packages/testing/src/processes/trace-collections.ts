import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into the program with `--import`: it prints a line for each collection of garbage, and collects
// all of it at SIGUSR2.

for (const flag of ['--trace-gc', '--trace-gc-nvp', '--expose-gc']) setFlagsFromString(flag)
const collect: () => void = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  console.log('all is collected')
})
