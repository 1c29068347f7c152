import { type Command, Option } from 'commander'
import { FileHosts } from '../../../move/files/links.ts'
import { MovingFiles } from '../../../move/files/moving-files.ts'
import { Heard } from '../../../move/heard.ts'
import type { Moving } from '../../../move/moving.ts'
import { Side } from '../../../move/side.ts'
import { MoveState } from '../../../move/state.ts'
import { listen } from '../../../move/webhooks.ts'
import { PlainError } from '../../../plain-error.ts'
import { progressLine } from './progress.ts'

export interface Options {
  readonly fromUrl: string
  readonly fromApp: string
  readonly fromKey: string
  readonly toUrl: string
  readonly toApp: string
  readonly toKey: string
  readonly state: string
  readonly parallel: string
  readonly webhooks?: string
  readonly webhookSecret?: string
  readonly authTokens?: true
  readonly relations?: true
  readonly json?: true
  readonly fileHosts?: string
  readonly filesPerSecond: string
}

export function sidesOf(command: Command): Command {
  const side = (name: 'from' | 'to', which: string) =>
    command
      .addOption(
        required(
          `--${name}-url <url>`,
          `${which}, up to the version: https://host/v3`,
          `${name}_URL`,
        ),
      )
      .addOption(required(`--${name}-app <appId>`, 'its app', `${name}_APP`))
      .addOption(required(`--${name}-key <key>`, 'a full-access key of it', `${name}_KEY`))
  side('from', 'the service that the app leaves')
  side('to', 'the service that it comes to')
  return command
    .option('--state <file>', 'what the move remembers', 'chorale-move.json')
    .option('--parallel <calls>', 'calls to each side at the same time', '8')
    .addOption(
      new Option(
        '--file-hosts <hosts>',
        'where files of the old side lie, with commas between',
      ).env('CHORALE_MOVE_FILE_HOSTS'),
    )
    .option('--files-per-second <files>', 'files that are fetched in a second at most', '10')
    .option('--json', 'print JSON')
}

export function webhooksOf(command: Command): Command {
  return command
    .option('--relations', 'with friends and blocked users; two calls more for each user')
    .option('--webhooks <port>', 'take the calls of a webhook of the old side at this port')
    .addOption(
      new Option('--webhook-secret <secret>', 'the password of that webhook').env(
        'CHORALE_MOVE_WEBHOOK_SECRET',
      ),
    )
}

/** A key in the environment is not seen in the list of processes. */
function required(flags: string, description: string, name: string): Option {
  return new Option(flags, description)
    .env(`CHORALE_MOVE_${name.toUpperCase()}`)
    .makeOptionMandatory()
}

export function openSides({ fromUrl, fromApp, fromKey, toUrl, toApp, toKey, parallel }: Options) {
  const calls = Number(parallel)
  if (!Number.isInteger(calls) || calls < 1 || calls > 64) {
    throw new PlainError('--parallel: use a number from 1 to 64.')
  }
  const trimmed = (url: string) => url.replace(/\/+$/, '')
  return {
    from: new Side({ url: trimmed(fromUrl), appId: fromApp, apiKey: fromKey, parallel: calls }),
    to: new Side({ url: trimmed(toUrl), appId: toApp, apiKey: toKey, parallel: calls }),
  }
}

export function openMove(options: Options): Moving {
  const { from, to } = openSides(options)
  const state = MoveState.open(options.state, nameOf(from), nameOf(to))
  return {
    from,
    to,
    state,
    withTokens: options.authTokens === true,
    withRelations: options.relations === true,
    files: openFiles(options),
    progress: progressLine(),
  }
}

export function filesIn({ fileHosts = '', filesPerSecond }: Options) {
  const perSecond = Number(filesPerSecond)
  if (!(perSecond > 0 && perSecond <= 1000)) {
    throw new PlainError('--files-per-second: use a number up to 1000.')
  }
  const hosts = FileHosts.parse(fileHosts)
  return { hosts: hosts.names.length > 0 ? hosts : undefined, perSecond }
}

function openFiles(options: Options): MovingFiles | undefined {
  const { hosts, perSecond } = filesIn(options)
  return hosts && new MovingFiles({ hosts, perSecond, statePath: options.state })
}

export interface Ears extends AsyncDisposable {
  readonly heard: Heard
  /** When the next call has come. */
  woken(): Promise<void>
}

/** Takes calls of a webhook, if there is to be one, and keeps what they tell of. */
export async function openEars(options: Options, { state }: Moving): Promise<Ears> {
  const heard = new Heard(`${options.state}.heard`, state)
  let sleepers: (() => void)[] = []
  const woken = () => new Promise<void>((resolve) => sleepers.push(resolve))
  if (options.webhooks === undefined) return { heard, woken, async [Symbol.asyncDispose]() {} }
  const { webhookSecret: secret = '' } = options
  if (secret.length < 16) throw new PlainError('--webhook-secret: use at least 16 characters.')
  const wake = () => {
    for (const resolve of sleepers) resolve()
    sleepers = []
  }
  const server = await listen({ port: Number(options.webhooks), secret, heard, wake })
  return { heard, woken, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function nameOf({ url, appId }: Side): string {
  return `${appId} at ${url}`
}

export function leftLine({ kind, id, why }: { kind: string; id: string; why: string }): string {
  return `not moved: ${kind} ${id}: ${why}`
}
