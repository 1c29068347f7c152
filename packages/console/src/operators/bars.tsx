interface BarsProps {
  readonly values: readonly number[]
  /** Said to those who do not see it. */
  readonly label: string
}

const height = 40
const width = 10

/** A bar for each value, as high as the highest allows. */
export function Bars({ values, label }: BarsProps) {
  const most = Math.max(1, ...values)
  return (
    <svg
      className="bars"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * width} ${height}`}
      preserveAspectRatio="none"
    >
      {values.map((value, place) => {
        // What is there at all can be seen.
        const high = value === 0 ? 0.5 : Math.max(2, (value / most) * height)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            key={place}
            x={place * width + 1}
            y={height - high}
            width={width - 2}
            height={high}
          />
        )
      })}
    </svg>
  )
}
