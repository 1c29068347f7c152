import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApp } from '../../app/session.tsx'
import { queue } from '../../strings/moderation.ts'
import { Attachments } from '../../ui/attachments.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { textWithNames } from '../../ui/mentions.ts'
import { Time } from '../../ui/time.tsx'
import { MarkedText, termsOf } from './marked-text.tsx'
import type { Claimed } from './review-queue.ts'
import { Said } from './said.tsx'
import { SenderRecord } from './sender-record.tsx'

/** A message, what is around it, why it waits, and who has sent it. */
export function CaseView({ claimed }: { readonly claimed: Claimed }) {
  const { message } = claimed
  const terms = useTerms(claimed)
  return (
    <article className="case" aria-label={queue.message}>
      <Part title={queue.around}>
        <Around message={message}>
          <div className="case-message">
            <p className="hint">
              {message.sender}{' '}
              {message.receiverType === 'group'
                ? queue.inGroup(message.receiver)
                : queue.to(message.receiver)}
              , <Time at={message.sentAt} />
            </p>
            <MarkedText text={textWithNames(message.data) ?? queue.noText} terms={terms} />
            <Attachments data={message.data} />
          </div>
        </Around>
      </Part>
      <Part title={queue.why}>
        <Why claimed={claimed} />
      </Part>
      <Part title={queue.sender}>
        <SenderRecord uid={message.sender} />
      </Part>
    </article>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Words of lists are asked for: a condition names the list. */
function useTerms({ condition }: Claimed): RegExp[] {
  const { appId, client } = useApp()
  const { category = 'word', value = [], isKeywordsReferencePresent: isList } = condition ?? {}
  const lists = useQuery({
    queryKey: [appId, 'keyword-lists', value],
    queryFn: () =>
      Promise.all(value.map((keywordId) => client.getKeywordList({ params: { keywordId } }))),
    enabled: isList === true,
    staleTime: 300_000,
  })
  if (!isList) return termsOf(category, value)
  return (lists.data ?? []).flatMap(({ data }) => termsOf(data.category, data.searchTerms))
}

interface AroundProps {
  readonly message: Claimed['message']
  readonly children: ReactNode
}

function Around({ message: { id, conversationId }, children }: AroundProps) {
  const { appId, client } = useApp()
  const around = useQuery({
    queryKey: [appId, 'around', conversationId, id],
    queryFn: async () => {
      const query = { conversationId, id, category: 'message', limit: 4, hideDeleted: true }
      const [before, after] = await Promise.all([
        client.listMessages({ query: { ...query, affix: 'prepend' } }),
        client.listMessages({ query: { ...query, affix: 'append' } }),
      ])
      return { before: before.data, after: after.data }
    },
    staleTime: 60_000,
  })
  return (
    <>
      {around.data && <Said messages={around.data.before} />}
      {children}
      <Loaded query={around}>{({ after }) => <Said messages={after} />}</Loaded>
    </>
  )
}

function Why({ claimed }: { readonly claimed: Claimed }) {
  const { ruleName, condition, reason, flaggedBy, message } = claimed
  return (
    <dl className="facts">
      {ruleName !== undefined && (
        <>
          <dt>{queue.caughtBy}</dt>
          <dd>{ruleName}</dd>
        </>
      )}
      {condition && (
        <>
          <dt>{queue.looksFor}</dt>
          <dd>
            {condition.operand}: {condition.value.join(', ')}
          </dd>
        </>
      )}
      {reason !== undefined && (
        <>
          <dt>{queue.reason}</dt>
          <dd>{reason}</dd>
        </>
      )}
      {flaggedBy.length > 0 && <dt>{queue.reports}</dt>}
      {flaggedBy.map(({ uid, name, reasonName, remark }) => (
        <dd key={uid}>
          {queue.reportedBy(name, reasonName)}
          {remark !== undefined && <q>{remark}</q>}
        </dd>
      ))}
      {message.reported && <dt>{queue.reportedAs}</dt>}
      {message.reported?.map((said) => (
        <dd key={JSON.stringify(said)}>
          <q>{textWithNames({ ...said, mentions: message.data.mentions }) ?? queue.noText}</q>
        </dd>
      ))}
    </dl>
  )
}
