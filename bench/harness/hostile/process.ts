import { constants, setPriority } from 'node:os'
import { attackAsDevice } from './device.ts'
import type { Order, Tally } from './orders.ts'
import { attackAsStrangers } from './strangers.ts'
import { attackAsTenant } from './tenant.ts'

// The attackers, in a process of their own. Theirs would be other machines, so they yield to
// whatever else wants this one's processors.

setPriority(constants.priority.PRIORITY_LOW)

function attack({ origin, seconds, attack: given }: Order): Promise<Tally> {
  if (given.by === 'strangers') return attackAsStrangers(origin, seconds, given)
  if (given.by === 'tenant') return attackAsTenant(origin, seconds, given)
  return attackAsDevice(origin, seconds, given)
}

process.once('message', async (order: Order) => process.send?.(await attack(order)))
process.once('disconnect', () => process.exit())
