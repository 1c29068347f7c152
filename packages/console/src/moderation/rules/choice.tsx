interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly T[]
  readonly names?: Readonly<Partial<Record<T, string>>>
  readonly onChange: (value: T) => void
}

/** One of several, without a line of its own for the label. */
export function Choice<T extends string>({
  label,
  value,
  options,
  names,
  onChange,
}: ChoiceProps<T>) {
  const choose = (wanted: string) => {
    const found = options.find((option) => option === wanted)
    if (found !== undefined) onChange(found)
  }
  return (
    <select aria-label={label} value={value} onChange={({ target }) => choose(target.value)}>
      {options.map((option) => (
        <option key={option} value={option}>
          {names?.[option] ?? option}
        </option>
      ))}
    </select>
  )
}
