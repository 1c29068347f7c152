// Two people side by side, each with a session of their own.
import { openSeat, type Person } from './seat.ts'

const people: Person[] = await (await fetch('/demo/people')).json()
const asked = new URLSearchParams(location.search)
const seats = document.getElementById('seats')
const isNarrow = matchMedia('(max-width: 60rem)').matches
const uids = [asked.get('left') ?? 'mara', asked.get('right') ?? 'tom']
for (const uid of isNarrow ? uids.slice(0, 1) : uids) {
  seats?.append(openSeat(people, people.some((one) => one.uid === uid) ? uid : 'mara'))
}
