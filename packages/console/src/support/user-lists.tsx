import type { ReactNode } from 'react'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { timeline, userPage } from '../strings/support.ts'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { timelinePlace } from './places.ts'
import type { SupportedUser } from './supported-user.ts'

interface OfUser {
  readonly user: SupportedUser
}

interface ListProps {
  readonly title: string
  readonly none: string
  readonly noneText?: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

/** A table under its heading, or that there is nothing in it. */
export function List({ title, none, noneText, head, rows }: ListProps) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {rows.length > 0 ? (
        <Table label={title} head={head} rows={rows} />
      ) : (
        <p className="hint">
          {none}. {noneText}
        </p>
      )}
    </section>
  )
}

export function Devices({ user: { devices } }: OfUser) {
  return (
    <List
      title={userPage.devices}
      none={userPage.noDevices}
      noneText={userPage.noDevicesText}
      head={[
        userPage.platform,
        userPage.kind,
        userPage.provider,
        userPage.token,
        userPage.updated,
        userPage.gone,
      ]}
      rows={devices.map((device, place) => ({
        key: `${place} ${device.pushToken}`,
        cells: [
          device.platform,
          `${device.kind} (${device.type})`,
          device.providerId ?? '',
          <code key="token">{device.pushToken}</code>,
          <Time key="updated" at={device.updatedAt} />,
          device.goneAt === undefined ? '' : <Time key="gone" at={device.goneAt} />,
        ],
      }))}
    />
  )
}

export function SignIns({ user: { signIns } }: OfUser) {
  return (
    <List
      title={userPage.signIns}
      none={userPage.noSignIns}
      head={[userPage.since, userPage.until, userPage.by, userPage.platform]}
      rows={signIns.map(({ createdAt, expiresAt, issuerId, platform, userAgent }, place) => ({
        key: `${place} ${createdAt}`,
        cells: [
          <Time key="since" at={createdAt} />,
          expiresAt === undefined ? '' : <Time key="until" at={expiresAt} />,
          issuerId === undefined ? userPage.authToken : userPage.jwt(issuerId),
          [platform, userAgent].filter(Boolean).join(', '),
        ],
      }))}
    />
  )
}

export function Groups({ user: { groups } }: OfUser) {
  return (
    <List
      title={userPage.groups}
      none={userPage.noGroups}
      head={[userPage.with, userPage.scope, userPage.joined]}
      rows={groups.map(({ guid, name, scope, joinedAt }) => ({
        key: guid,
        cells: [
          <span key="name">
            {name} <code>{guid}</code>
          </span>,
          scope,
          <Time key="joined" at={joinedAt} />,
        ],
      }))}
    />
  )
}

export function Pushes({ user: { pushes } }: OfUser) {
  const { appId } = useApp()
  return (
    <List
      title={userPage.pushes}
      none={userPage.noPushes}
      head={[
        userPage.at,
        userPage.channel,
        userPage.what,
        userPage.status,
        userPage.reason,
        userPage.message,
      ]}
      rows={pushes.map(({ id, at, channel, trigger, status, reason = '', messageId }) => ({
        key: id,
        cells: [
          <Time key="at" at={at} />,
          channel,
          trigger,
          timeline.verdict[status],
          reason,
          messageId === undefined ? (
            ''
          ) : (
            <Link
              key="message"
              to={timelinePlace(appId, messageId)}
              aria-label={userPage.timeline(messageId)}
            >
              {messageId}
            </Link>
          ),
        ],
      }))}
    />
  )
}
