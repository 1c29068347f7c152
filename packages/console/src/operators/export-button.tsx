import { useMutation } from '@tanstack/react-query'
import { clientOf, consoleApi } from '../app/client.ts'
import { audit } from '../strings/operators.ts'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

export interface AuditFilter {
  readonly appId?: string
  readonly operation?: string
  readonly caller?: string
  readonly since?: number
  readonly until?: number
}

/** Saves all lines that fit as a file: by the browser itself, which keeps nothing of it in memory. */
export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  // Only then browsers say from which page a link was followed, as the service wants to know.
  if (!window.isSecureContext) return <ExportOfPage filter={filter} />
  const query = new URLSearchParams(
    Object.entries(filter).map(([name, value]) => [name, String(value)]),
  )
  return (
    <a className="button" href={`${consoleApi}/audit-log/export?${query}`} download={audit.file}>
      {audit.export}
    </a>
  )
}

/** An export may be long. */
const timeoutMs = 10 * 60_000

function ExportOfPage({ filter }: { readonly filter: AuditFilter }) {
  const make = useMutation({
    mutationFn: () => clientOf('').exportAuditLog({ query: filter }, { timeoutMs }),
    onSuccess: ({ data }) => {
      const lines = data.map((entry) => `${JSON.stringify(entry)}\n`)
      save(new Blob(lines, { type: 'application/x-ndjson' }))
      toast(audit.exported(data.length))
    },
  })
  return (
    <>
      <button type="button" disabled={make.isPending} onClick={() => make.mutate()}>
        {make.isPending ? audit.exporting : audit.export}
      </button>
      {make.error && <Problem error={make.error} />}
    </>
  )
}

function save(blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = audit.file
  link.click()
  URL.revokeObjectURL(url)
}
