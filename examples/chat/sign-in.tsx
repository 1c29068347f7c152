import type { Person } from './session.ts'

/** Everybody of the demo, to choose from. Nobody is asked for a password here. */
export function SignIn({ people }: { readonly people: readonly Person[] }) {
  const [first, second] = people
  return (
    <main className="chorale sign-in">
      <h1>Harbour Choir</h1>
      <p>A choir, a week before its concert. Who are you today?</p>
      <ul>
        {people.map(({ uid, name, statusMessage }) => (
          <li key={uid}>
            <a href={`?as=${uid}`}>
              <Initials name={name} />
              <b>{name}</b>
              <span>{statusMessage}</span>
            </a>
          </li>
        ))}
      </ul>
      {first && second && (
        <p>
          Or see{' '}
          <a href={`?left=${first.uid}&right=${second.uid}&group=concert`}>
            two people side by side
          </a>
          .
        </p>
      )}
      <p className="hint">
        Open another window as somebody else, switch your network off and on again, or write “free
        tickets”, which a rule of this chat blocks.
      </p>
    </main>
  )
}

function Initials({ name }: { readonly name: string }) {
  const letters = name.split(' ').map((word) => word.charAt(0))
  return (
    <span className="initials" aria-hidden="true">
      {letters.join('')}
    </span>
  )
}
