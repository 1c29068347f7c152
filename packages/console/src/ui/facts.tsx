import type { ReactNode } from 'react'

interface FactsProps {
  /** By name; undefined: it is not known, and left out. */
  readonly of: Readonly<Record<string, ReactNode>>
}

export function Facts({ of }: FactsProps) {
  return (
    <dl className="fact-list">
      {Object.entries(of).map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
