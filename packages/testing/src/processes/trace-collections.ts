import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into the program with `--import`: it prints a line for each collection of garbage and for each kind of
// object that V8 counts for pretenuring, and collects all of it at SIGUSR2.

for (const flag of [
  '--trace-gc',
  '--trace-gc-nvp',
  '--trace-pretenuring-statistics',
  '--expose-gc',
]) {
  setFlagsFromString(flag)
}
const collect: () => void = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  console.log('all is collected')
})
