export const committee = `
@7 10:15
jonas: Accounts of the last quarter are done: we have 1,840 in the bank and 62 in the biscuit tin.
  + 👏 mara ines priya
ines: Why do we have a biscuit tin?
jonas: Because in the spring we had biscuits.
priya: Scores come to 94 with postage. Is that all right?
jonas: Yes, send me the bill.
mara: Thank you, both of you. Saves me an evening.
@7 18:30
ines: Posters: A3, forty of them, who hangs them where? I can do the library, the market and the ferry.
priya: I take the schools and the bakery.
mara: The music shop and the town hall.
jonas: I can do the station. Both platforms.
  + 🚉 ines
ines: Then we have them all. They are printed on Wednesday.
read ines jonas mara priya
@6 09:25
mara: The church asks for somebody to sign the rental paper. Jonas, are you free on Monday morning?
jonas: Only before nine.
mara: The office opens at nine.
jonas: Then at nine, and I am late for work with a good excuse.
  + 🙏 mara
@6 17:50
priya: Idea: a glass of punch in the interval. Last year people asked for it.
ines: Yes please. With and without alcohol.
jonas: Do we need a permit?
" mara: For the one with alcohol, yes. It is a form of one page.
jonas: I will fill it in, forms and I understand each other.
  + 📝 priya ines
priya: I have two pots of twenty litres from the summer party.
@5 12:10
ines: The posters came back blue instead of black. I rather like them.
mara: Show us!
ines: In the shared folder. The printer gives us ten more for free if we keep them.
  + 💙 mara priya jonas
mara: Keep them. Blue is our colour anyway.
jonas: Fifty posters for the price of forty. I am moved.
@5 15:30
mara: We need to talk about the new folders. The old ones fall apart.
  > priya: I repaired eleven of them with tape this month.
  > jonas: What would new ones cost?
  > priya: About 9 each, 35 of them. So 315.
  > jonas: After the concert, if we sell 150 tickets.
  > mara: Agreed. After the concert.
read mara priya jonas ines
@4 08:40
jonas: Ticket list: please enter what you sell on the same day. Two people have paid and are on no list.
ines: One of them is me, sorry.
jonas: The other one is also you.
  + 😅 ines
ines: Fixed. I have put a pencil on a string next to the list.
@4 19:20
mara: Do we reserve seats? The mayor's office has asked for two.
ines: First row left, I will put a name on them.
priya: Not the first row, they will hear nothing but basses there.
  + 😂 mara jonas
ines: Third row, centre.
  x
ines: Third row, centre. And two for the newspaper beside them.
@3 09:05
jonas: Permit for the punch is granted. It says "hot beverage of festive character".
  + 🎉 mara ines priya
mara: That should be the name of our next programme.
priya: I will order the glasses. 120?
jonas: 150, and we give back what we do not need.
@3 16:40
ines: The sound of the microphone at the door: shall Noah see to that as well?
mara: Ask him nicely. He has the lasagne contract.
ines: He says yes, for a second lasagne.
jonas: This is inflation.
  + 😂 mara priya
@2 11:15
priya: The school lends us eight music stands, we have to fetch them on Thursday.
mara: I work there, I will simply carry them out.
  = I work there, I will simply carry them out. With permission.
  + 👍 priya
@2 20:25
jonas: Insurance: the risers are covered, the singers on them are covered, the van is Ben's.
mara: Does Ben know?
jonas: Ben knows. Ben has known since 2019.
@1 10:00
ines: Running order for the day. 14:00 van, 15:00 risers and lamps, 16:30 sound, 17:30 choir, 19:00 doors.
  + 👍 mara priya jonas
  pin
mara: Could we have ten quiet minutes before the doors? I would like that.
ines: 18:45 to 18:55 is yours, nobody moves.
  + ❤️ mara
priya: I will make soup for everybody at 18:00. Vegan, one pot.
jonas: Put the soup on the account, please. Soup is not a hobby.
@1 17:35
mara: One more thing: @jonas said that the tin has 62. It has 58.
jonas: There was a parking meter.
ines: The tin has a travel budget?
  + 😂 mara priya
jonas: I will put back the four.
now-95
jonas: The four are back in the tin. 62. You may count.
  + 🫡 ines mara
ines: I trust you. I counted.
priya: The glasses come on Thursday, somebody has to be at home. I am until noon.
mara: I can be there from two.
read jonas ines
`
