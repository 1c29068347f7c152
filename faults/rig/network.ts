import { execute, succeeds } from './commands.ts'
import { addresses, type Host, hosts, outside } from './layout.ts'

// A host is a network namespace on a bridge: its cable can be pulled, and packets from another host can be dropped.

const bridge = 'chorale-faults'
export const namespaceOf = (host: Host) => `chorale-${host}`
const cableOf = (host: Host) => `chorale-${host}`

const ip = (...words: string[]) => execute('ip', words)
const inside = (host: Host, ...words: string[]) =>
  execute('ip', ['netns', 'exec', namespaceOf(host), ...words])

export async function openNetwork(): Promise<void> {
  if (await succeeds('ip', ['link', 'show', bridge])) return
  await ip('link', 'add', bridge, 'type', 'bridge')
  await ip('address', 'add', `${outside}/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  for (const host of hosts) {
    const space = namespaceOf(host)
    await ip('netns', 'add', space)
    await ip('link', 'add', cableOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
    await ip('link', 'set', cableOf(host), 'master', bridge, 'up')
    await inside(host, 'ip', 'address', 'add', `${addresses[host]}/24`, 'dev', 'eth0')
    await inside(host, 'ip', 'link', 'set', 'eth0', 'up')
    await inside(host, 'ip', 'link', 'set', 'lo', 'up')
    await inside(host, 'ip', 'route', 'add', 'default', 'via', outside)
  }
}

export async function closeNetwork(): Promise<void> {
  for (const host of hosts) await succeeds('ip', ['netns', 'delete', namespaceOf(host)])
  await succeeds('ip', ['link', 'delete', bridge])
}

/** Every process on the host. */
export async function pidsOn(host: Host): Promise<number[]> {
  const text = await execute('ip', ['netns', 'pids', namespaceOf(host)])
  return text.split('\n').filter(Boolean).map(Number)
}

export async function unplug(host: Host): Promise<void> {
  await ip('link', 'set', cableOf(host), 'down')
}

export async function plugIn(host: Host): Promise<void> {
  await ip('link', 'set', cableOf(host), 'up')
}

/** Nothing gets from one to the other, either way, and neither is told. */
export async function part(one: Host, other: Host): Promise<void> {
  await inside(one, 'iptables', '-A', 'INPUT', '-s', addresses[other], '-j', 'DROP')
  await inside(other, 'iptables', '-A', 'INPUT', '-s', addresses[one], '-j', 'DROP')
}

export async function join(one: Host, other: Host): Promise<void> {
  await inside(one, 'iptables', '-D', 'INPUT', '-s', addresses[other], '-j', 'DROP')
  await inside(other, 'iptables', '-D', 'INPUT', '-s', addresses[one], '-j', 'DROP')
}

/** Delay and loss need a part of the kernel that some machines lack. */
export async function disturb(host: Host, how: readonly string[]): Promise<void> {
  await ip('link', 'show', cableOf(host))
  await execute('tc', ['qdisc', 'replace', 'dev', cableOf(host), 'root', 'netem', ...how])
}

export async function calm(host: Host): Promise<void> {
  await execute('tc', ['qdisc', 'delete', 'dev', cableOf(host), 'root'])
}
