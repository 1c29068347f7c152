import { subscribe } from 'node:diagnostics_channel'
import { type Profiler, Session } from 'node:inspector'

// Loaded into the program with `--import`. After SIGUSR2 it prints, for each request, which files
// have run a function between its arrival and its answer.

const session = new Session()
session.connect()
session.post('Profiler.enable')
let isUnderWay = false

// Not the request's work: it waits until the request is answered.
const { setInterval: every, setTimeout: after } = globalThis
globalThis.setInterval = ((work: () => void, ms?: number) =>
  every(() => {
    if (!isUnderWay) work()
  }, ms)) as typeof setInterval
globalThis.setTimeout = ((work: () => void, ms?: number) =>
  after(function retry() {
    if (isUnderWay) after(retry, 1)
    else work()
  }, ms)) as typeof setTimeout

/** Since the last time. The inspector of the own thread answers at once. */
function takeCoverage(): readonly Profiler.ScriptCoverage[] {
  let taken: readonly Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    taken = result
  })
  return taken
}

function hasRun({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
}

process.once('SIGUSR2', () => {
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  subscribe('http.server.request.start', () => {
    isUnderWay = true
    takeCoverage()
  })
  subscribe('http.server.response.finish', () => {
    const files = takeCoverage().filter(hasRun)
    isUnderWay = false
    console.log(JSON.stringify({ executed: files.map(({ url }) => url) }))
  })
  console.log('files are watched')
})
