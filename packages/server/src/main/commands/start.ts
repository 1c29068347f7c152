import { Command } from 'commander'
import { type Started, startAndServe } from '../start/start.ts'
import { print } from './output.ts'

export function startCommand(): Command {
  return new Command('start')
    .description('Try it out: start the engines that are missing, fill a demo app, and serve.')
    .option('--data <folder>', 'where everything is kept', 'chorale-data')
    .option('--json', 'print the addresses and keys as JSON, once it serves')
    .action(({ data, json }: { data: string; json?: true }) =>
      startAndServe({
        folder: data,
        onStarted: (started) => print(json, started, () => summary(started)),
      }),
    )
}

function summary(started: Started): string {
  const { apiUrl, docs, demo, console, owner, appId, apiKey, data, engines } = started
  const body = {
    receiver: 'concert',
    receiverType: 'group',
    data: { text: 'Hello!' },
  }
  return `
  Demo chat       ${demo}
  Console         ${console}${owner ? `\n                  ${owner.email}, password ${owner.password}` : ''}
  API reference   ${docs ?? 'none: DOCS is off'}

  API             ${apiUrl}
  appId           ${appId}
  apikey          ${apiKey}   full access: for servers, not for pages

  A message, which the demo chat shows at once:
  curl ${apiUrl}/messages -H 'appId: ${appId}' -H 'apikey: ${apiKey}' -H 'onBehalfOf: ines' -d '${JSON.stringify(body)}'

  Everything is kept in ${data}${engines === data ? '' : ` and ${engines}`}. Ctrl-C stops it, \`chorale start\` goes on with it.
`
}
