import type { OperationOutputs } from '@chorale/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { PageProps } from '../app/page-entry.ts'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { conversation } from '../strings/support.ts'
import { Attachments } from '../ui/attachments.tsx'
import { textWithNames } from '../ui/mentions.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Time } from '../ui/time.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { OpenForm } from './open-form.tsx'
import { conversationPlace, timelinePlace, userPlace } from './places.ts'

type Row = OperationOutputs['listMessages']['data'][number]
type Message = Extract<Row, { readonly id: string }>

const perPage = 50

/** Reads the conversation that the address names. */
export function Page({ rest: [id] }: PageProps) {
  const { appId } = useApp()
  return (
    <>
      <PageHead title={conversation.title} about={conversation.about} />
      {id === undefined ? (
        <OpenForm
          label={conversation.id}
          hint={conversation.idHint}
          button={conversation.open}
          placeOf={(wanted) => conversationPlace(appId, wanted)}
        />
      ) : (
        <Messages key={id} id={id} />
      )}
    </>
  )
}

function Messages({ id }: { readonly id: string }) {
  const { appId, client } = useApp()
  const pages = useInfiniteQuery({
    queryKey: [appId, 'support', 'messages', id],
    queryFn: async ({ pageParam }) => {
      const before = pageParam === '' ? {} : ({ id: pageParam, affix: 'prepend' } as const)
      const query = { conversationId: id, limit: perPage, ...before }
      const { data } = await client.listMessages({ query })
      return data.filter((row) => 'id' in row)
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length === perPage ? page[0]?.id : undefined),
    // Each reading is a line of the audit log.
    refetchOnWindowFocus: false,
  })
  if (pages.isPending) return <Waiting />
  if (pages.error) return <Problem error={pages.error} onRetry={() => void pages.refetch()} />
  const messages = pages.data.pages.toReversed().flat()
  if (messages.length === 0) {
    return <Empty title={conversation.empty}>{conversation.emptyText}</Empty>
  }
  return (
    <>
      <p>
        <code>{id}</code>
      </p>
      {pages.hasNextPage && (
        <div className="actions">
          <button
            type="button"
            disabled={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {conversation.older}
          </button>
        </div>
      )}
      <ol className="messages" aria-label={conversation.messages}>
        {messages.map((message) => (
          <One key={message.id} message={message} />
        ))}
      </ol>
    </>
  )
}

function One({ message }: { readonly message: Message }) {
  const { appId, may } = useApp()
  const { id, sender, sentAt, editedAt, deletedAt } = message
  return (
    <li>
      <header>
        <strong>
          <Link to={userPlace(appId, sender)}>{sender}</Link>
        </strong>
        <Time at={sentAt} />
        {editedAt !== undefined && <span>{conversation.edited}</span>}
        {may('logs.read') && (
          <Link to={timelinePlace(appId, id)} aria-label={conversation.timelineOf(id)}>
            {conversation.timeline}
          </Link>
        )}
      </header>
      <p>{deletedAt === undefined ? textOf(message) : <em>{conversation.deleted}</em>}</p>
      {deletedAt === undefined && <Attachments data={message.data} />}
    </li>
  )
}

function textOf({ category, type, data }: Message): string {
  return textWithNames(data) ?? conversation.noText(category, type)
}
