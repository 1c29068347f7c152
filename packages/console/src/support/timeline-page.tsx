import type { OperationOutputs } from '@chorale/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { PageProps } from '../app/page-entry.ts'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { timeline } from '../strings/support.ts'
import { Facts } from '../ui/facts.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { OpenForm } from './open-form.tsx'
import { conversationPlace, timelinePlace, userPlace } from './places.ts'

type Timeline = OperationOutputs['getMessageTimeline']['data']
type Step = Timeline['steps'][number]

/** What became of the message that the address names. */
export function Page({ rest: [id] }: PageProps) {
  const { appId } = useApp()
  return (
    <>
      <PageHead title={timeline.title} about={timeline.about} />
      <OpenForm
        key={id ?? ''}
        label={timeline.id}
        button={timeline.open}
        pattern="[0-9]+"
        placeOf={(wanted) => timelinePlace(appId, wanted)}
      />
      {id !== undefined && <Shown key={id} id={id} />}
    </>
  )
}

function Shown({ id }: { readonly id: string }) {
  const { appId, client } = useApp()
  const pages = useInfiniteQuery({
    queryKey: [appId, 'support', 'timeline', id],
    queryFn: ({ pageParam }) =>
      client.getMessageTimeline({
        params: { id },
        query: { ...(pageParam !== '' && { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ data }) => data.next,
  })
  if (pages.isPending) return <Waiting />
  if (pages.error) return <Problem error={pages.error} onRetry={() => void pages.refetch()} />
  const all = pages.data.pages.map(({ data }) => data)
  const [first] = all
  if (!first) return null
  return (
    <>
      <About message={first} />
      <section className="card">
        <h2>{timeline.steps}</h2>
        <ol className="steps">
          {first.steps.map((step) => (
            <OneStep key={[step.step, step.uid, step.at].join(' ')} step={step} />
          ))}
        </ol>
      </section>
      <Recipients rows={all.flatMap(({ recipients }) => recipients)} />
      {pages.hasNextPage && (
        <div className="actions">
          <button type="button" onClick={() => void pages.fetchNextPage()}>
            {timeline.more}
          </button>
        </div>
      )}
    </>
  )
}

function About({ message }: { readonly message: Timeline }) {
  const { appId, may } = useApp()
  const { sender, receiver, receiverType, category, type, conversationId } = message
  return (
    <section className="card">
      <Facts
        of={{
          [timeline.from]: <Link to={userPlace(appId, sender)}>{sender}</Link>,
          [timeline.to]:
            receiverType === 'user' ? (
              <Link to={userPlace(appId, receiver)}>{receiver}</Link>
            ) : (
              receiver
            ),
          [timeline.kind]: `${category}, ${type}`,
          [timeline.conversation]: may('messages.read') ? (
            <Link to={conversationPlace(appId, conversationId)}>{conversationId}</Link>
          ) : (
            conversationId
          ),
        }}
      />
    </section>
  )
}

const bad = ['disapproved', 'failed', 'withheld']

function OneStep({ step: { step, at, uid, status, reason, says } }: { readonly step: Step }) {
  const isBad = step === 'deleted' || (status !== undefined && bad.includes(status))
  const isOpen = status === 'waiting' || status === 'pending'
  const notPushed = step === 'pushed' && status !== 'sent'
  return (
    <li data-kind={isBad ? 'bad' : isOpen ? 'open' : 'good'}>
      <strong>{notPushed ? timeline.notPushed : timeline.step[step]}</strong>
      {at !== undefined && <Time at={at} />}
      <p>
        {says}
        {reason !== undefined && (
          <>
            {' '}
            <code>{reason}</code>
          </>
        )}
        {step === 'pushed' && uid !== undefined && ` (${uid})`}
      </p>
    </li>
  )
}

function Recipients({ rows }: { readonly rows: Timeline['recipients'] }) {
  const { appId } = useApp()
  return (
    <section className="card">
      <h2>{timeline.recipients}</h2>
      <Table
        label={timeline.recipients}
        head={[timeline.uid, timeline.delivered, timeline.read, timeline.push, timeline.why]}
        rows={rows.map(({ uid, deliveredAt, readAt, push }) => ({
          key: uid,
          cells: [
            <Link key="uid" to={userPlace(appId, uid)}>
              {uid}
            </Link>,
            deliveredAt === undefined ? timeline.notYet : <Time key="delivered" at={deliveredAt} />,
            readAt === undefined ? timeline.notYet : <Time key="read" at={readAt} />,
            timeline.verdict[push.verdict],
            push.says,
          ],
        }))}
      />
    </section>
  )
}
