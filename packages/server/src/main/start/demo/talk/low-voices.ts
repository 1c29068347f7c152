export const lowVoices = `
@7 20:45
jonas: Tenors and basses: sectional on Tuesday at 19:30 in the small room. Bring a pencil.
noah: I have owned the same pencil since the foundation of this choir.
ben: It shows in your markings.
  + 😂 jonas tom
tom: Which pieces?
jonas: Lauridsen pages 4 to 7, and the folk song in which we are the bagpipe.
ben: Finally a role for which I have trained all my life.
  + 🎶 noah
read jonas noah ben tom
@6 07:30
tom: Do basses really hold that D for eleven bars?
noah: We stagger our breath. It is a conspiracy.
ben: I breathe in even bars, Noah in odd ones, and on bar nine we hope.
tom: What happens on bar nine?
ben: Nobody has ever asked.
  + 😄 tom jonas
@6 19:10
jonas: Here is a plan for the breaths, so that bar nine is no longer a matter of hope: first basses 3 and 7, second basses 5 and 9.
  + 👍 noah ben
  > noah: And the man beside me who breathes whenever he likes?
  > jonas: That is you, Noah.
  > noah: I asked for a friend.
@5 06:50
ben: I have a cold. I shall come and point at the notes.
tom: Get well! Ginger tea.
noah: For a second bass a cold is a bonus. Two notes deeper.
  + 😂 jonas tom
ben: I can do a low B flat today, and nothing else.
  = I can do a low B flat today, and nothing above it.
@5 23:05
jonas: Well done tonight. The bagpipe was frightening, in the best sense.
  + 💪 ben noah tom
tom: I lost my place twice on page 6, where do you count from?
" jonas: From the soprano entry. When Ines breathes in, you have two beats.
tom: Ines breathes in very quietly.
noah: That is what makes her a soprano.
ben: We could ask her to raise an eyebrow.
jonas: I asked. She raised it at me.
  + 😂 tom noah ben
@4 12:45
noah: Found: one blue tie, silk, in the small room, with soup on it.
tom: Not mine, I am Team Socks.
ben: Colour of the soup?
noah: Tomato.
ben: Then it is mine.
  + 🍅 noah tom jonas
@4 21:15
tom: I practised with the piano app. It says that I am 14 cents flat on "mysterium".
jonas: Think of the note as being behind the next one, and sing a little brighter.
tom: 6 cents flat now!
  + 🎉 jonas
noah: At 4 cents you are promoted to bass.
read tom jonas noah
@3 08:20
jonas: Who takes which of the two solos in the second folk song? Eight bars, up to an F.
ben: Not me, my F is in repair.
noah: Tom should do it.
tom: Tom is new here.
noah: That is exactly why nobody expects anything. A perfect start.
  + 😄 ben jonas
jonas: @tom would you try it on Tuesday? No obligation.
tom: I will try. If I run out of the room, please go on singing.
  + ❤️ jonas noah ben
@3 22:00
jonas: Recording for @tom: tenor line of "Sleep", bars 32 to 48. The dog in the background is mine.
tom: The dog holds bar 40 better than I do.
  + 🐶 jonas noah ben
jonas: He has had more rehearsals.
@2 13:30
ben: Loading on Friday: who brings a second trolley?
noah: I do. It has three wheels, but they are good wheels.
tom: I have two straps and enthusiasm.
jonas: That is the spirit. 17:00 at Ben's yard.
@2 21:40
noah: I listened to the old recording of "Rest". We were sharp at the end. Sharp! Us!
ben: Frame it.
jonas: Somebody must have opened a window.
  x
jonas: It was the adrenaline. Ten people were in the audience.
  + 😂 ben noah
@1 07:55
tom: I sang the solo for my neighbour through the wall. He knocked twice.
jonas: Twice means encore.
  + 😂 noah ben
tom: That is how I understood it.
@1 18:50
noah: Bass lunch on Saturday before the concert? 12:30, the place by the ferry.
  + 🍽️ ben jonas
ben: Tenors are welcome if they stay below the stave.
tom: I will order in the low register.
  + 👍 noah
now-70
jonas: Last thing before tomorrow: page 7, last system, take the slur out. Mara has changed it.
noah: My pencil is ready.
ben: Its eraser died in 2021.
  + ⚰️ noah tom
tom: Taken out. Thank you!
read tom jonas
`
