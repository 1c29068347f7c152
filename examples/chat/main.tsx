// The demo chat: sign in as somebody, or look at two people side by side.
// ?as=mara                       as one of them
// ?as=mara&group=concert         with this group open; ?user=tom for a user
// ?left=mara&right=tom           two of them beside each other
import { createRoot } from 'react-dom/client'
import { PersonScreen } from './person-screen.tsx'
import { listPeople } from './session.ts'
import { SignIn } from './sign-in.tsx'

const people = await listPeople()
const asked = new URLSearchParams(location.search)
const uids = [asked.get('as') ?? asked.get('left'), asked.get('right')]
const shown = uids.filter((uid) => people.some((person) => person.uid === uid))
const root = createRoot(document.getElementById('root') ?? document.body)

root.render(
  shown.length === 0 ? (
    <SignIn people={people} />
  ) : (
    <div className="sides">
      {shown.map((uid) => (
        <PersonScreen key={uid} uid={uid ?? ''} people={people} asked={asked} />
      ))}
    </div>
  ),
)
