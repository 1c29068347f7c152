import { askProcesses, type ProcessReport } from '../../../bus/process-reports.ts'
import { allParts } from '../../parts/all-parts.ts'
import { type Check, failure, ok, warning } from '../doctor/check.ts'

/** Keeps what the processes have answered in `found`. */
export function processCheck(found: ProcessReport[]): Check {
  return {
    name: 'processes',
    looksAt: 'every part is run by a process that answers, and each of them is ready',
    needs: ['nats'],
    async run({ nats, config }) {
      found.push(...(await askProcesses(nats, config.NATS_PREFIX)))
      const missing = allParts.filter((part) => !found.some(({ parts }) => parts.includes(part)))
      if (missing.length > 0) {
        const text = `No process runs: ${missing.join(', ')}.`
        return failure(text, `Start \`chorale serve --parts ${missing.join()}\`; read its log.`)
      }
      const broken = found.find(({ ready }) => !ready) ?? found.find(({ degraded }) => degraded)
      if (!broken) return ok(`${found.length} are ready`)
      const { host, pid, ready, failing } = broken
      const errors = Object.entries(failing).map(([name, error]) => `${name}: ${error}`)
      const text = `Process ${pid} on ${host} is ${ready ? 'degraded' : 'not ready'}: ${errors.join('; ')}`
      return (ready ? warning : failure)(text, 'Read its log; ask /readyz at its operations port.')
    },
  }
}
