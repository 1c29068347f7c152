import { test } from 'vitest'
import { programIn, root } from '../../../testing/src/processes/program.ts'
import {
  commitBeforeNewestMigration,
  madeUpNextRelease,
  releaseOfCommit,
} from '../../../testing/src/releases/release.ts'
import { checkUpgrade, upgradeAndGoBack } from '../../../testing/src/releases/upgrade.ts'

const here = programIn(root)
const size = { servers: 2, requests: 300 }
const commit = await commitBeforeNewestMigration()
if (!commit) console.log('skipped: git does not have the commit before the newest migration')

test.skipIf(!commit)(
  'the commit before the newest migration is upgraded to this one under load and comes back: no request fails',
  async () => {
    await using previous = await releaseOfCommit(commit ?? '')
    checkUpgrade(await upgradeAndGoBack({ ...size, from: previous, to: here }))
  },
)

test('a next release adds columns and an index under load and goes back: no request fails', async () => {
  await using next = await madeUpNextRelease()
  checkUpgrade(await upgradeAndGoBack({ ...size, from: here, to: next }))
})
