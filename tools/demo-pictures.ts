import { join } from 'node:path'
import { openBrowser } from '../packages/testing/src/network/example-page.ts'
import { root } from './tree.ts'

// node tools/demo-pictures.ts [http://localhost:3000]
//
// The pictures of the demo chat in the README, of what `npm start` serves; best of a fresh one.

const origin = process.argv[2] ?? 'http://localhost:3000'
const browser = await openBrowser()

interface Look {
  readonly width?: number
  readonly dark?: boolean
}

async function open(path: string, { width = 1200, dark = false }: Look = {}) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 780 : 720 },
    colorScheme: dark ? 'dark' : 'light',
  })
  const page = await context.newPage()
  await page.goto(`${origin}${path}`)
  const shown = ':is(.chorale-row, .chorale-conversation, .sign-in li):visible'
  await page.locator(shown).first().waitFor()
  await page.waitForLoadState('networkidle')
  return page
}

type Page = Awaited<ReturnType<typeof open>>

const save = (page: Page, name: string) =>
  page.screenshot({ path: join(root, `docs/pictures/demo-${name}.png`), animations: 'disabled' })

const composer = (page: Page) => page.getByRole('textbox', { name: 'Write a message' })

await save(await open('/demo'), 'sign-in')

const sides = await open('/demo?left=mara&right=ines&group=concert', { width: 1400 })
for (const text of ['I have free tickets for everybody', 'See you all at seven!']) {
  await composer(sides).first().fill(text)
  await composer(sides).first().press('Enter')
}
await sides.getByText('See you all at seven!').nth(1).waitFor()
await composer(sides).last().pressSequentially('Wonderful')
await sides.getByText('Ines Ferreira is typing').waitFor()
await save(sides, 'two-people')

const dark = await open('/demo?as=mara&group=concert', { dark: true })
await dark.getByRole('button', { name: 'Search' }).click()
await dark.getByRole('searchbox').fill('tickets')
await dark.locator('mark').first().waitFor()
await save(dark, 'search-dark')

const thread = await open('/demo?as=leila&group=cakes')
const replies = thread.locator('.chorale-thread-link')
await thread.locator('.chorale-row').last().hover()
while ((await replies.count()) === 0) {
  await thread.mouse.wheel(0, -400)
  await thread.waitForTimeout(100)
}
await replies.last().click()
await thread.getByRole('complementary').waitFor()
await save(thread, 'thread')

await save(await open('/demo?as=jonas', { width: 390 }), 'phone-list')
await save(await open('/demo?as=jonas&group=committee', { width: 390, dark: true }), 'phone-dark')
await browser.close()
