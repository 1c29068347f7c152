import { Avatar } from '../people/avatar.tsx'
import { useSlot, useStrings } from '../provider/context.ts'
import type { Person } from '../provider/slots.ts'
import type { Mentions } from './use-mentions.ts'

interface MentionListProps {
  readonly id: string
  readonly mentions: Mentions
  readonly onChoose: (person: Person) => void
}

/** The people that can be mentioned. The focus stays in the text. */
export function MentionList({ id, mentions, onChoose }: MentionListProps) {
  const strings = useStrings()
  const Option = useSlot('MentionOption', MentionOption)
  const { people, active } = mentions
  if (people.length === 0) return null
  return (
    <>
      <div id={id} className="chorale-options" role="listbox" aria-label={strings.mentions}>
        {people.map((person, place) => (
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the text names it.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text.
          <div
            key={person.uid}
            id={`${id}-${place}`}
            className="chorale-option"
            role="option"
            aria-selected={place === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(person)}
          >
            <Option person={person} />
          </div>
        ))}
      </div>
      <span className="chorale-hidden" role="status">
        {strings.suggestions(people.length)}
      </span>
    </>
  )
}

export function MentionOption({ person }: { readonly person: Person }) {
  const Face = useSlot('Avatar', Avatar)
  return (
    <>
      <Face name={person.name} image={person.avatar} />
      <bdi>{person.name}</bdi>
    </>
  )
}
