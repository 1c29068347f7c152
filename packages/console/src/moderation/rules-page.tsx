import { useQuery } from '@tanstack/react-query'
import type { PageProps } from '../app/page-entry.ts'
import { Link, navigate } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { rules } from '../strings/rules.ts'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
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
  const found = useQuery({
    queryKey: [appId, 'rules'],
    queryFn: () => client.listRules({ query: { limit: 100 } }),
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
      <Loaded query={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={rules.none}>{rules.noneText}</Empty>
          ) : (
            <Table
              label={rules.title}
              head={[rules.name, rules.enabled, rules.actions, rules.updated]}
              rows={data.map((rule) => ({
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
        }
      </Loaded>
    </>
  )
}
