import { type Command, Option } from 'commander'
import type { Management } from '../../../archive/settings.ts'
import { Side } from '../../../move/side.ts'
import { PlainError } from '../../../plain-error.ts'

export interface AppOptions {
  readonly url: string
  readonly app: string
  readonly key: string
  readonly managementUrl?: string
  readonly managementKey?: string
  readonly managementSecret?: string
  readonly parallel: string
  readonly json?: true
}

/** Which app, by its REST interface. A key in the environment is not seen in the list of processes. */
export function appOptions(command: Command): Command {
  const required = (flags: string, description: string, name: string) =>
    new Option(flags, description).env(name).makeOptionMandatory()
  const optional = (flags: string, description: string, name: string) =>
    new Option(flags, description).env(name)
  const management = 'CHORALE_ARCHIVE_MANAGEMENT'
  return command
    .addOption(required('--url <url>', 'up to the version: https://host/v3', 'CHORALE_ARCHIVE_URL'))
    .addOption(required('--app <appId>', 'the app', 'CHORALE_ARCHIVE_APP'))
    .addOption(required('--key <key>', 'a full-access key of it', 'CHORALE_ARCHIVE_KEY'))
    .addOption(
      optional('--management-url <url>', 'for settings: the management API', `${management}_URL`),
    )
    .addOption(optional('--management-key <key>', 'a key of it', `${management}_KEY`))
    .addOption(optional('--management-secret <secret>', 'its secret', `${management}_SECRET`))
    .option('--parallel <calls>', 'calls at the same time', '8')
    .option('--json', 'print JSON')
}

export function sideOf({ url, app, key, parallel }: AppOptions): Side {
  const calls = Number(parallel)
  if (!Number.isInteger(calls) || calls < 1 || calls > 64) {
    throw new PlainError('--parallel: use a number from 1 to 64.')
  }
  return new Side({ url: url.replace(/\/+$/, ''), appId: app, apiKey: key, parallel: calls })
}

export function managementOf(options: AppOptions): Management | undefined {
  const { managementUrl: url, managementKey: key, managementSecret: secret } = options
  if (url === undefined && key === undefined && secret === undefined) return undefined
  if (url === undefined || key === undefined || secret === undefined) {
    throw new PlainError(
      'Give --management-url, --management-key and --management-secret, or none.',
    )
  }
  return { url, key, secret }
}
