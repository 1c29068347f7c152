import { join } from 'node:path'
import { test } from 'vitest'
import { root } from '../../../../../tools/tree.ts'
import { expectReceiver } from '../../../../testing/src/providers/webhook-receiver.ts'

// Those that docs/develop/webhooks.md shows. The one in Go is built by tools/docs/guide.slow.test.ts.

const example = (file: string) => join(root, 'examples/webhooks', file)

test.concurrent.each([
  ['TypeScript', process.execPath, () => [example('receiver.ts')]],
  ['Python', 'python3', () => [example('receiver.py')]],
  ['PHP', 'php', (port: number) => ['-S', `127.0.0.1:${port}`, example('receiver.php')]],
] as const)(
  'the receiver in %s takes a genuine call, and no other',
  { timeout: 120_000 },
  (_, program, argsFor) => expectReceiver(program, argsFor),
)
