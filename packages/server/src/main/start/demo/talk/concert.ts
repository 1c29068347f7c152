/** The notation is in `../script.ts`. */
export const concert = `
@7 08:55
mara: Good morning all! The harbour church has confirmed: Saturday in three weeks, doors at 19:00, we sing at 19:30.
  + 🎉 ines jonas priya ben leila
  pin
ines: That is wonderful news. I will tell the newspaper today.
jonas: Do we get the church for free again?
mara: Almost: we pay for the heating, 120 in all.
  = Almost: we pay for the heating, 140 in all.
  > jonas: That is fine, I will take it from the ticket money.
  > mara: Perfect, thank you. They want it in cash.
  > jonas: Of course they do.
ben: Heating? It was 14 degrees in there last year, I counted my breaths.
  + 😂 noah priya tom ines
noah: That was the reverb freezing in mid-air.
  + 😂 ben leila
leila: Please ask them about the piano. Last time the D above middle C was silent.
mara: Good point @leila, I will ask for a tuner on Friday.
read mara jonas ines ben leila noah priya
@7 12:20
priya: How many scores do we need? I have 31 copies of the Rheinberger and 28 of the Lauridsen.
mara: We are 34 singers plus me.
priya: So three and six short. I will order them today unless somebody finds some at home.
tom: I have a Lauridsen from my old choir, can bring it on Tuesday.
  + 🙏 priya
ines: I think there is one under my cat.
  + 😹 leila tom mara
priya: I will take it with or without the cat.
@7 19:40
mara: Draft of the programme, tell me what you think by Tuesday.
mara: 1. Rheinberger, Abendlied. 2. Lauridsen, O magnum mysterium. 3. Three folk songs, arranged by Leila. Interval. 4. Vaughan Williams, Rest. 5. Whitacre, Sleep. 6. Goodnight song.
  + 👍 jonas noah leila
ben: The whole second half is about going to sleep. Are we sure?
  + 😂 jonas ines noah tom
mara: I had not noticed. Now I cannot un-notice it.
leila: Put the folk songs after the interval, they wake people up.
  + 💡 mara
mara: Sold. The folk songs open the second half.
  + 👏 ben leila
@6 08:10
ines: The newspaper wants a photo by Thursday. Is there one from last year in which nobody yawns?
noah: I have about two hundred. I will look tonight.
ines: One is enough, Noah. Truly.
noah: Two hundred and three, in fact.
  x
ines: I saw that.
  + 😄 noah
@6 13:05
tom: Sorry, newcomer question: what do we wear?
priya: Black from head to foot, and something in blue. Scarf, tie, socks, all of it counts.
priya: If you have nothing blue I have a box full of scarves.
  + 💙 tom mara ines
tom: Blue socks it is. Thank you!
ben: Everybody will look at your feet now.
@6 21:30
noah: "One is enough. Truly." Here are five, all sharp, all awake: I put them in the shared folder.
  + ❤️ ines mara
ines: The third one! We look like a real choir.
leila: We are a real choir.
ines: You know what I mean.
read ines noah leila mara tom
@5 07:45
mara: Reminder: tonight 19:30 sharp, first half of the programme. Sectionals for the first forty minutes.
jonas: I will be ten minutes late, train.
mara: Noted. Tenors, wait for him before you take the Lauridsen apart.
tom: We shall only look at it sternly.
  + 😂 jonas mara
@5 22:40
mara: That was a lovely evening. The last page of the Lauridsen: please do not breathe before "natum". All of you. Ever.
  + 👍 tom noah priya ben leila
  > noah: What if we are about to faint?
  > mara: Then faint quietly and in tempo.
  > ben: I want this on a T-shirt.
priya: And give the scores back in the folders, two came home with me in a loaf of bread.
ben: That was a sandwich bag, and it was clean.
  = That was a sandwich bag, and it was almost clean.
leila: The folk songs are twice as good as two weeks ago. Thank you for counting!
  + 🥹 ines tom
@4 09:00
ines: It is in! Page 7, with the photo, and they spelled "Rheinberger" right.
  + 🎉 mara jonas noah priya leila tom
jonas: Page 7 is the one with the tide table. Everybody reads that page.
ines: Tickets are 12, 8 for students, free below fourteen. Jonas and I take orders from now on.
jonas: Eleven sold already, nine of them to my mother.
  + 😂 ben mara tom
@4 18:15
mara: The tuner comes on Friday at four. Can somebody let him in? I have school until five.
leila: I will be there anyway, I want to try the piano.
  + 🙏 mara
mara: You are a treasure.
read mara leila ines jonas priya noah ben tom
@3 10:30
noah: I can record the concert with four microphones. Do we want that?
" ines: Yes! But please without the audience coughing.
noah: I can do many things, but not that.
jonas: What does it cost us?
noah: A lasagne.
  + 🤝 jonas ines
priya: The missing scores came this morning. Everybody has one now, and I have a list of who has which.
  + 🙌 mara jonas leila
@3 20:10
tom: Is there a recording of the tenor line of "Sleep" somewhere? Bar 40 defeats me.
jonas: I will sing it for you and send it. Do not play it to anybody.
tom: I will listen with the door locked.
  + 😄 jonas
mara: Bar 40 defeats everybody. We take it slowly on Tuesday.
@2 08:30
ines: 64 tickets sold. The church holds 220.
jonas: 71 now.
ines: Which of us is counting the ones that are only promised?
jonas: ... 64.
  + 😂 mara noah priya
@2 16:45
leila: The piano is tuned, and the D is back from the dead. It is now the best note of the instrument.
  + 🎹 mara ines ben
mara: I could hug that tuner.
leila: He does not strike me as a hugger.
@2 19:00
ben: Van: I have it from Friday noon to Sunday evening. Risers, two lamps, the crate of scores and Noah's cables fit in one go.
noah: My cables do not "fit". They allow themselves to be transported.
  + 👑 leila ben
ben: Who helps to load? Friday 17:00, my yard. There will be coffee.
  + ✋ jonas tom noah
mara: Take gloves, the risers bite.
read ben noah mara jonas
@1 09:15
mara: Change of plan for Tuesday: we begin at 19:00, so that we can sing the whole programme once without stopping.
  = Change of plan for Tuesday: we begin at 19:00 and not at 19:30, so that we can sing the whole programme once without stopping.
  + 👍 ines priya leila noah tom
jonas: 19:00 works, I take the earlier train.
priya: I will bring the box of blue scarves. First come, first scarf.
ines: I take the one with the anchors!
ben: We shall see.
@1 20:05
tom: I can do bar 40. I can do bar 40!
  + 🎉 jonas mara leila ben ines
mara: See? It was never bar 40, it was always bar 39.
tom: Please do not take this away from me.
  + 😂 jonas noah
now-48
ines: 103 tickets! We have more guests than singers, that is official now.
  + 🎉 mara jonas leila
leila: Then I had better practise.
mara: @ben do we have enough chairs for a choir that sits down in the interval?
ben: 36 folding chairs, and a stool for whoever was late.
jonas: Why does everybody look at me?
  + 😂 mara ines
read ines leila
`
