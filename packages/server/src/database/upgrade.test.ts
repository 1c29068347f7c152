import { test, vi } from 'vitest'
import { programIn, root } from '../../../testing/src/processes/program.ts'
import { madeUpNextRelease } from '../../../testing/src/releases/release.ts'
import { checkUpgrade, upgradeAndGoBack } from '../../../testing/src/releases/upgrade.ts'

// Eight processes, one after the other, on a machine that may be busy.
vi.setConfig({ testTimeout: 600_000 })

test('a next release adds columns and an index under load and goes back: no request fails', async () => {
  await using next = await madeUpNextRelease()
  const size = { servers: 1, requests: 20 }
  checkUpgrade(await upgradeAndGoBack({ ...size, from: programIn(root), to: next }))
})
