import { type Chat, createChat, type Target } from '@chorale/sdk'
import type { Page } from 'playwright-core'
import type { PageOptions, TestPage } from '../../../react/src/testing/page.tsx'
import type { ReactPages } from '../network/react-page.ts'
import { rowsInFeed } from './feed-rows.ts'
import { deleted, type Row } from './shown-rows.ts'

/** Somebody with a chat client: a page in a browser, or a program. */
export interface Talker {
  readonly uid: string
  readonly name: string
  /** As its user would; does not wait until the message is stored. */
  write(target: Target, text: string): Promise<void>
  /** Every row that it shows, oldest first. */
  rows(target: Target): Promise<readonly Row[]>
  isOnline(): Promise<boolean>
  /** How often it has lost its connection. */
  losses(): Promise<number>
}

export interface Account extends Pick<PageOptions, 'url' | 'appId' | 'authToken'> {
  readonly uid: string
}

/** A page of React components. The conversations have begun: they are in its list. */
export async function openPage(pages: ReactPages, { uid, ...account }: Account): Promise<Talker> {
  const page = await pages.open(account)
  await page.locator('.chorale-conversation').first().waitFor()
  await page.evaluate(() => {
    const { chat } = (globalThis as unknown as { page: TestPage }).page
    const counted = { losses: 0 }
    chat?.session.on('connection', ({ state, reason }) => {
      if (state === 'waiting' && reason === 'lost') counted.losses++
    })
    Object.assign(globalThis, { counted })
  })
  return {
    uid,
    name: `the page of ${uid}`,
    async write(target, text) {
      await choose(page, target)
      const field = page.getByRole('textbox')
      await field.fill(text)
      await field.press('Enter')
    },
    async rows(target) {
      await choose(page, target)
      return await rowsInFeed(page)
    },
    isOnline: () =>
      page.evaluate(() => {
        const { chat } = (globalThis as unknown as { page: TestPage }).page
        return chat?.connection.getSnapshot().state === 'online'
      }),
    losses: () =>
      page.evaluate(
        () => (globalThis as unknown as { counted: { losses: number } }).counted.losses,
      ),
  }
}

/** The list moves while messages come: a click by its coordinates would meet another conversation. */
async function choose(page: Page, { receiver }: Target): Promise<void> {
  const name = page.getByText(receiver.toUpperCase(), { exact: true })
  const row = page.locator('.chorale-conversation', { has: name })
  await row.dispatchEvent('click')
  await page.locator('.chorale-conversation[aria-current]', { has: name }).waitFor()
}

/** A program on the chat client of the SDK, which keeps these conversations open. */
export function openProgram(
  stack: AsyncDisposableStack,
  { uid, ...account }: Account,
  targets: readonly Target[],
): Talker {
  const chat: Chat = createChat(account)
  stack.defer(() => chat.close())
  let losses = 0
  chat.session.on('connection', ({ state, reason }) => {
    if (state === 'waiting' && reason === 'lost') losses++
  })
  for (const target of targets) chat.conversation(target).messages.subscribe(() => undefined)
  return {
    uid,
    name: `the program of ${uid}`,
    async write(target, text) {
      chat.conversation(target).send(text)
    },
    async rows(target) {
      const { messages } = chat.conversation(target)
      while (messages.getSnapshot().hasMore) await messages.loadMore()
      return messages.getSnapshot().items.map(({ key, data, deletedAt }) => ({
        key,
        text: deletedAt === undefined ? (data.text ?? '') : deleted,
      }))
    },
    isOnline: async () => chat.connection.getSnapshot().state === 'online',
    losses: async () => losses,
  }
}
