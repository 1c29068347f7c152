import { parentPort } from 'node:worker_threads'
import { buffersIn, carryOut, type Request } from './thread-jobs.ts'

// The program of the thread that `compiler.ts` starts.
parentPort?.on('message', (request: Request) => {
  const reply = carryOut(request)
  parentPort?.postMessage(reply, buffersIn(reply))
})
