import type { PageProps } from '../app/page-entry.ts'
import { Link, navigate } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { rules } from '../strings/rules.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NewRule, RuleView } from './rules/rule-view.tsx'

export function Page({ rest: [ruleId] }: PageProps) {
  if (ruleId === undefined) return <Rules />
  return ruleId === 'new' ? <NewRule /> : <RuleView ruleId={ruleId} />
}

function Rules() {
  const { appId, client, may } = useApp()
  const found = usePages({
    queryKey: [appId, 'rules'],
    read: (page = 1) => client.listRules({ query: { limit: rowsPerPage, page } }),
    next: nextNumber,
  })
  const place = `/apps/${appId}/moderation/rules`
  return (
    <>
      <PageHead title={rules.title} about={rules.about}>
        {may('moderation.configure') && (
          <button type="button" className="primary" onClick={() => navigate(`${place}/new`)}>
            {rules.create}
          </button>
        )}
      </PageHead>
      <Pages of={found}>
        {(pages) => {
          const all = pages.flatMap(({ data }) => data)
          if (all.length === 0) return <Empty title={rules.none}>{rules.noneText}</Empty>
          return (
            <Table
              label={rules.title}
              head={[rules.name, rules.enabled, rules.actions, rules.updated]}
              rows={all.map((rule) => ({
                key: rule.id,
                cells: [
                  <Link key="name" to={`${place}/${rule.id}`}>
                    {rule.name === '' ? rule.id : rule.name}
                  </Link>,
                  rule.enabled ? rules.enabled : rules.off,
                  rule.action.map((one) => rules.actionNames[one]).join('; '),
                  rule.default ? rules.standard : <Time key="time" at={rule.updatedAt} />,
                ],
              }))}
            />
          )
        }}
      </Pages>
    </>
  )
}
