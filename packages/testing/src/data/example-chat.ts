import type { RealtimeFixture } from '../service/realtime-fixture.ts'

const people = { ann: 'Ann Baker', bob: 'Bob Stone', cyd: 'Cyd Moreau', dan: 'Dan Okafor' }

/** A group and two conversations of ann, in which there is one message of every kind. */
export async function makeExampleChat({ full, say, sayIn }: RealtimeFixture): Promise<void> {
  for (const [uid, name] of Object.entries(people)) await full.createUser({ body: { uid, name } })
  await full.createGroup({
    body: { guid: 'tea', name: 'Tea & Biscuits', type: 'public', owner: 'ann' },
  })
  await full.addMembers({ params: { guid: 'tea' }, body: { participants: ['bob', 'cyd', 'dan'] } })
  await say('bob', 'ann', 'Are we still on for tomorrow?')
  await say('ann', 'bob', 'Yes! Half past nine at the station.')
  await say('cyd', 'ann', 'I have sent you the contract')
  await say('dan', 'ann', 'See you on Monday')
  const first = await sayIn('tea', 'bob', 'Good morning')
  await sayIn('tea', 'bob', 'The agenda for Thursday: https://example.org/agenda')
  await sayIn('tea', 'cyd', 'Thanks <@uid:bob>! Is there a projector, or should I bring mine?')
  const answer = await sayIn('tea', 'ann', 'There is one')
  const mistake = await sayIn('tea', 'dan', 'oops')
  const inGroup = { receiver: 'tea', receiverType: 'group', category: 'message' } as const
  await full.sendMessage({
    onBehalfOf: 'dan',
    body: { ...inGroup, type: 'text', data: { text: 'Great, see you' }, quotedMessageId: answer },
  })
  const plan = {
    url: 'https://example.org/plan.pdf',
    name: 'plan.pdf',
    mimeType: 'application/pdf',
    extension: 'pdf',
    size: 182_000,
  }
  await full.sendMessage({
    onBehalfOf: 'cyd',
    body: { ...inGroup, type: 'file', data: { attachments: [plan], text: 'The plan' } },
  })
  await full.sendMessage({
    onBehalfOf: 'cyd',
    body: { ...inGroup, type: 'text', data: { text: 'Morning!' }, parentId: first },
  })
  await full.deleteMessage({ params: { id: mistake }, onBehalfOf: 'dan' })
  await full.addReaction({ params: { id: answer, reaction: '👍' }, onBehalfOf: 'bob' })
}
