import type { OperationOutputs } from '@chorale/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { clientOf } from '../app/client.ts'
import { Link, setQuery, usePlace } from '../app/router.tsx'
import { usage } from '../strings/operators.ts'
import { Field } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Bars } from './bars.tsx'

type AppUsage = OperationOutputs['listUsage']['data']['apps'][number]

const choices = ['7', '30', '90']

/** How much each app was used, and which is louder than it used to be. */
export function Page() {
  const { query } = usePlace()
  const days = choices.find((one) => one === query.get('days')) ?? '30'
  const found = useQuery({
    queryKey: ['', 'usage', days],
    queryFn: () => clientOf('').listUsage({ query: { days: Number(days) } }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={usage.title} about={usage.about} />
      <Field label={usage.days}>
        {(props) => (
          <select
            {...props}
            value={days}
            onChange={({ target }) => setQuery({ days: target.value })}
          >
            {choices.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Loaded query={found}>
        {({ data: { apps, from, to } }) =>
          apps.length === 0 ? (
            <Empty title={usage.none} />
          ) : (
            <>
              <Loud apps={apps.filter(isLoud)} />
              <Apps apps={apps} from={from} to={to} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** A hundred messages are no noise, whatever was usual. */
const leastNoise = 100

function isLoud({ lastHour, usualHour }: AppUsage): boolean {
  return lastHour >= leastNoise && lastHour > 3 * usualHour
}

function Loud({ apps }: { readonly apps: readonly AppUsage[] }) {
  if (apps.length === 0) return null
  return (
    <section className="note" data-kind="error">
      <strong className="state" data-kind="bad">
        {usage.loudTitle}
      </strong>
      <p>{apps.map(({ name }) => name).join(', ')}</p>
      <p>{usage.loudText}</p>
    </section>
  )
}

interface AppsProps {
  readonly apps: readonly AppUsage[]
  readonly from: number
  readonly to: number
}

function Apps({ apps, from, to }: AppsProps) {
  return (
    <Table
      label={usage.title}
      head={[
        usage.app,
        usage.messages,
        usage.perDay,
        usage.lastHour,
        usage.usualHour,
        usage.users,
        usage.peak,
      ]}
      rows={apps.map((app) => ({
        key: app.appId,
        cells: [
          <span key="name">
            <Link to={`/apps/${app.appId}`}>{app.name}</Link> <code>{app.appId}</code>
          </span>,
          app.messages.toLocaleString(),
          <Bars
            key="days"
            values={app.days}
            label={usage.chart(app.name, dayOf(from), dayOf(to - 1), Math.max(...app.days))}
          />,
          isLoud(app) ? (
            <strong key="loud" className="state" data-kind="bad">
              {app.lastHour.toLocaleString()}
            </strong>
          ) : (
            app.lastHour.toLocaleString()
          ),
          app.usualHour.toLocaleString(undefined, { maximumFractionDigits: 1 }),
          app.activeUsers.toLocaleString(),
          app.peakOnline.toLocaleString(),
        ],
      }))}
    />
  )
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
