import { ChoraleError, restClient } from '@chorale/sdk'

// The operator's page, in its first form: which apps there are. The secret stays in this page.

const form = required(document.querySelector<HTMLFormElement>('#credentials'))
const notice = required(document.querySelector<HTMLElement>('#notice'))
const rows = required(document.querySelector<HTMLElement>('#apps'))
const table = required(rows.closest('table'))

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  void showApps(String(fields.get('key')), String(fields.get('secret')))
})

async function showApps(key: string, secret: string): Promise<void> {
  notice.textContent = 'Loading …'
  const client = restClient({
    baseUrl: '/v3',
    management: { url: '/management', key, secret },
  })
  try {
    const { data, meta } = await client.listApps()
    rows.replaceChildren(
      ...data.map(({ id, name, region, createdAt }) => row(id, name, region, date(createdAt))),
    )
    table.hidden = false
    notice.textContent = `${data.length} of ${meta.pagination.total} apps`
  } catch (error) {
    table.hidden = true
    notice.textContent =
      error instanceof ChoraleError ? error.message : 'The service does not answer.'
  }
}

function row(...cells: readonly string[]): HTMLElement {
  const line = document.createElement('tr')
  for (const text of cells) line.insertCell().textContent = text
  return line
}

function date(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toLocaleString()
}

function required<T>(element: T | null): T {
  if (element === null) throw new Error('The page lacks an element that the script needs.')
  return element
}
