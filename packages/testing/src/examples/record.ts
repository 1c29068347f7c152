import type { Api, OperationName } from '@chorale/contract/api'
import type { Example } from '@chorale/contract/examples'
import type { Client, DeviceOperations } from '@chorale/contract/operation'
import { deviceClient } from '@chorale/sdk'
import { hashPassword, updatePerson } from '../../../server/src/domain/apps/collaborators/index.ts'
import { listeners } from '../../../server/src/listeners.ts'
import { openPasswords } from '../../../server/src/vault/passwords.ts'
import { openVault } from '../../../server/src/vault/vault.ts'
import { openReceiver } from '../network/receiver.ts'
import { type PushFixture, startPushFixture } from '../notifications/push-fixture.ts'
import { consoleClient } from '../service/console.ts'
import { newSession } from '../service/console-session.ts'
import { showFiles } from './files.ts'
import * as groups from './groups.ts'
import * as messages from './messages.ts'
import * as moderation from './moderation.ts'
import * as notifications from './notifications.ts'
import * as operator from './operator.ts'
import * as people from './people.ts'
import { readableBy } from './readable.ts'
import { openRecorder } from './recorder.ts'
import type { Tour } from './tour.ts'

/** Noon of 1 January 2026, UTC: when the first example is set. Each comes a minute after the last. */
const start = 1_767_268_800

/** Calls every operation of a service that runs, and returns what was sent and answered. */
export async function recordExamples(): Promise<Map<OperationName, Example>> {
  let now = start
  await using fixture = await startPushFixture({
    clock: () => now,
    settings: { EGRESS_HTTP: 'true', WEBHOOK_TIMEOUT_MS: '10000' },
  })
  fixture.app.startWorker(listeners)
  const recorder = openRecorder(() => {
    now += 60
  })
  const replacements = new Map<string, string>()
  const tour = await openTour(fixture, recorder.of, replacements, () => now + 60)
  await walk(tour, fixture)
  const readable = readableBy(replacements, start)
  return new Map(
    // The same shape with other texts in it.
    [...recorder.recorded].map(([name, example]) => [name, readable(example) as Example]),
  )
}

async function openTour(
  { app }: PushFixture,
  recording: <T extends object>(client: T) => T,
  replacements: Map<string, string>,
  at: () => number,
): Promise<Tour> {
  const operator = app.client({ appId: '', full: '', auth: '' }, 'full')
  const { data } = await recording(operator).createApp({ body: { name: 'Book shop' } })
  const ofScope = (scope: string) =>
    Object.values(data.apiKeys ?? {}).find((key) => key.scope === scope)?.apiKey ?? ''
  const keys = { appId: data.id, full: ofScope('fullAccess'), auth: ofScope('authOnly') }
  replacements.set(keys.appId, 'bookshop0001')
  replacements.set(keys.full, '0123456789abcdef0123456789abcdef01234567')
  replacements.set(keys.full.slice(-4), '4567')
  replacements.set(keys.auth, 'fedcba9876543210fedcba9876543210fedcba98')
  const call = app.client(keys, 'full')
  return {
    appId: keys.appId,
    call,
    show: recording(call),
    replace: (text, by) => void replacements.set(text, by),
    at,
    async person() {
      const person = {
        email: 'ada@example.com',
        name: 'Ada',
        roles: { [keys.appId]: 'owner' },
      } as const
      const vault = openVault(Buffer.from(app.masterKey, 'base64'))
      const { session, sessionId, id } = await newSession(app, vault, person, at())
      const passwordHash = await hashPassword(openPasswords(1), 'correct horse battery')
      await updatePerson(app, id, { passwordHash })
      replacements.set(sessionId, 'Zm9yZXhhbXBs')
      return recording(consoleClient(app, session, keys.appId))
    },
    async device(uid) {
      const { authToken } = (await call.createAuthToken({ params: { uid } })).data
      const baseUrl = `${app.origin}/v3`
      // The SDK types its clients by declarations that are printed from the contract.
      return recording(
        deviceClient({ baseUrl, appId: keys.appId, authToken }) as Client<DeviceOperations<Api>>,
      )
    },
  }
}

/** Everything is made by calls, so each step finds what those before it have made. */
async function walk(tour: Tour, fixture: PushFixture): Promise<void> {
  await using receiver = await openReceiver()
  await operator.showSettings(tour)
  await operator.showApiKeys(tour)
  await people.showUsers(tour)
  await operator.showEvents(tour)
  await people.showAuthTokens(tour)
  await people.showRelationships(tour)
  await people.showRoles(tour)
  await groups.showGroups(tour)
  await groups.showMembers(tour)
  await groups.showScopePermissions(tour)
  await messages.showMessages(tour)
  await messages.showReactions(tour)
  await messages.showThreads(tour)
  await messages.showHistory(tour)
  await messages.showConversations(tour)
  await moderation.showRules(tour)
  await moderation.showRulesOfApp(tour)
  await moderation.showKeywordLists(tour)
  await moderation.showReasons(tour)
  await moderation.showQueues(tour)
  await moderation.showDryRuns(tour)
  await moderation.showSubmissions(tour)
  await operator.showWebhooks(tour, receiver)
  await operator.showDeliveries(tour)
  await notifications.showPreferences(tour)
  await notifications.showPushProviders(tour)
  await notifications.showOwnServers(tour)
  await notifications.showCarriers(tour)
  await notifications.showExtensions(tour)
  await notifications.showPushes(tour, fixture)
  await operator.showFigures(tour, start)
  await people.showIssuers(tour)
  await operator.showCollaborators(tour)
  await people.showSupport(tour)
  await operator.showInstall(tour)
  await messages.showImports(tour)
  await messages.showDataRights(tour)
  await showFiles(tour, fixture.app)
  await operator.showDeletion(tour)
}
