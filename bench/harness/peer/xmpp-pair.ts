import { numberLength, type Pair } from './pair.ts'
import type { DevicePair, Devices } from './pairs.ts'
import { openXmppDevice } from './xmpp-device.ts'

type Ejabberd = Extract<Devices, { at: 'ejabberd' }>

/** Before the text of a message, in its stanza. */
const mark = '<body>'

/** Whoever sends hears nothing more of it: the protocol has no answer to a message. */
export async function openXmppPair(
  ejabberd: Ejabberd,
  { sender, receiver }: DevicePair,
  hear: (nth: number) => void,
): Promise<Pair> {
  await openXmppDevice(ejabberd, receiver, (stanza) => {
    const from = stanza.indexOf(mark) + mark.length
    hear(Number(stanza.slice(from, from + numberLength)))
  })
  const device = await openXmppDevice(ejabberd, sender, (stanza) => {
    throw new Error(`A sender received ${stanza}`)
  })
  const to = `${receiver.name}@${ejabberd.domain}`
  return {
    async send(says) {
      const id = crypto.randomUUID()
      device.write(`<message to='${to}' type='chat' id='${id}'><body>${says}</body></message>`)
    },
  }
}
