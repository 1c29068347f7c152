import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../packages/testing/src/network/example-page.ts'
import { root } from './tree.ts'

// node tools/console-pictures.ts [chorale-data]
//
// The pictures of docs/console.md, of what `npm start` serves; best of a fresh one.

interface Started {
  readonly apiUrl: string
  readonly console: string
  readonly owner: { readonly email: string; readonly password: string }
  readonly appId: string
  readonly apiKey: string
}

const folder = process.argv[2] ?? 'chorale-data'
const started: Started = JSON.parse(readFileSync(join(folder, 'started.json'), 'utf8'))
const { console: address, owner, appId, apiKey, apiUrl } = started
const inApp = `${address}/apps/${appId}`

/** Of people of the demo: some that a rule blocks, and one that somebody reports. */
async function fillQueue(): Promise<void> {
  const call = async (path: string, uid: string, body: object) => {
    const headers = { appId, apikey: apiKey, onBehalfOf: uid, 'content-type': 'application/json' }
    const answer = await fetch(apiUrl + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await answer.json()).data
  }
  const say = (uid: string, text: string) =>
    call('/messages', uid, { receiver: 'concert', receiverType: 'group', data: { text } })
  await say('ben', 'I have free tickets for everybody, write to me')
  await say('tom', 'Free tickets at the door tonight!')
  const { id } = await say('jonas', 'Whoever sings flat should stay at home.')
  await call(`/messages/${id}/flagged`, 'leila', { reasonId: 'harassment', remark: 'Not nice.' })
}

interface Look {
  readonly width?: number
  readonly dark?: boolean
}

const browser = await openBrowser()

async function open(url: string, { width = 1200, dark = false }: Look = {}) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 780 : 720 },
    colorScheme: dark ? 'dark' : 'light',
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  return page
}

type Page = Awaited<ReturnType<typeof open>>

async function enter(page: Page, shown: string): Promise<Page> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(shown).first().waitFor()
  await page.waitForLoadState('networkidle')
  return page
}

const save = (page: Page, name: string) =>
  page.screenshot({ path: join(root, `docs/pictures/console-${name}.png`), animations: 'disabled' })

await fillQueue()
const queue = await enter(await open(`${inApp}/moderation/queue`), 'Of the last 100 decisions')
await save(queue, 'queue')
await queue.goto('about:blank')
const rule = await enter(await open(`${inApp}/moderation/rules/no-free-tickets`), 'Try a text')
await rule.getByLabel('Try a text').fill('I have free tickets for everybody')
await rule.locator('mark').first().waitFor()
await rule.getByRole('button', { name: 'Start' }).click()
await rule.getByText('Done:').waitFor()
await rule.locator('.matches li').first().waitFor()
await rule.getByText('Try a text').scrollIntoViewIfNeeded()
await save(rule, 'rule')
const dark = { dark: true }
await save(await enter(await open(`${inApp}/settings`, dark), 'api.lenientInput'), 'settings-dark')
const phone = { width: 390, dark: true }
const onPhone = await enter(await open(`${inApp}/moderation/queue`, phone), 'Around it')
await save(onPhone, 'phone-dark')
await browser.close()
