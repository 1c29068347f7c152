import { CommandError } from '../commands/output.ts'

const everyMs = 500

/** Aborted when `start` is to stop; the service, once it runs, hears of it by SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const stopped = new AbortController()
  const stop = () => stopped.abort(new CommandError('Stopped.'))
  // Kept to the end: whoever presses Ctrl-C twice must not leave engines behind.
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const terminate = () => void process.emit('SIGTERM', 'SIGTERM')
  process.on('SIGHUP', terminate)
  // A terminal that was closed takes no more text.
  process.stderr.on('error', terminate)
  process.stdout.on('error', terminate)
  if (process.env.npm_command !== undefined) onEndOfParent(terminate)
  return stopped.signal
}

/** npm passes SIGTERM on to a shell, which ends and leaves this process running. */
function onEndOfParent(then: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    then()
  }, everyMs).unref()
}
