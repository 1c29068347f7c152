// Two people side by side, each with a session of their own.
import { openSide, type Person } from './side.ts'

const people: Person[] = await (await fetch('/demo/people')).json()
const asked = new URLSearchParams(location.search)
const sides = document.getElementById('sides')
const isNarrow = matchMedia('(max-width: 60rem)').matches
const uids = [asked.get('left') ?? 'mara', asked.get('right') ?? 'tom']
for (const uid of isNarrow ? uids.slice(0, 1) : uids) {
  sides?.append(openSide(people, people.some((one) => one.uid === uid) ? uid : 'mara'))
}
