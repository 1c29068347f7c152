/** Who is in the demo app: uid, name, and what they say of themselves. */
export const people = [
  { uid: 'mara', name: 'Mara Lindqvist', statusMessage: 'Conducting, or marking homework' },
  { uid: 'ines', name: 'Ines Ferreira', statusMessage: 'Soprano. Tickets? Ask me!' },
  { uid: 'jonas', name: 'Jonas Weber', statusMessage: 'On the train' },
  { uid: 'leila', name: 'Leila Haddad', statusMessage: 'At the piano' },
  { uid: 'noah', name: 'Noah Okafor', statusMessage: 'Untangling cables' },
  { uid: 'priya', name: 'Priya Nair', statusMessage: 'Keeper of the scores' },
  { uid: 'tom', name: 'Tom Ashworth', statusMessage: 'New here' },
  { uid: 'ben', name: 'Ben Castillo', statusMessage: 'Has a van' },
] as const

/** Groups, each with its owner first among its members. */
export const groups = [
  {
    guid: 'concert',
    name: 'Harbour concert',
    description: 'Everybody who sings, plays, carries or sells on the day',
    members: ['mara', 'ines', 'jonas', 'leila', 'noah', 'priya', 'tom', 'ben'],
  },
  {
    guid: 'committee',
    name: 'Committee',
    description: 'Money, posters and permits',
    members: ['jonas', 'mara', 'ines', 'priya'],
  },
  {
    guid: 'low-voices',
    name: 'Tenors and basses',
    description: 'Sectionals, breaths and trolleys',
    members: ['jonas', 'noah', 'ben', 'tom'],
  },
  {
    guid: 'cakes',
    name: 'Cakes and walks',
    description: 'What happens after the rehearsal',
    members: ['leila', 'ines', 'noah', 'tom', 'mara', 'ben'],
  },
] as const
