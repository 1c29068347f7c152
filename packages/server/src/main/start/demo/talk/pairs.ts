/** Two people each: the first line of a talk names them. */
export const pairs = [
  `mara ines
@6 10:05
ines: Have you a minute to look at the text for the newspaper?
mara: Of course, send it.
ines: "Thirty-four voices, one piano and a very old church: the Harbour Choir sings about the night."
mara: Oh, that is good. "A very old church" will please the pastor.
  + ❤️ ines
ines: Too long?
mara: Not a word. Send it off.
read ines mara
@3 18:35
mara: Can you take the warm-up on Tuesday? My voice is going.
ines: Gladly. Tea with honey, and no talking in school!
mara: I teach twelve-year-olds. Not talking is not on offer.
  + 😂 ines
@1 21:10
ines: How is the voice?
mara: Better! I can shout again.
ines: The twelve-year-olds will be so glad.
now-40
mara: Could you send me the final order for the programme sheet? It goes to print tomorrow.
ines: In ten minutes. Do we thank the tuner?
mara: We thank the tuner first of all.
  + 👍 ines`,
  `mara leila
@5 16:20
leila: Tempo of the second folk song: I hear it at 96, the choir is at 104.
mara: The choir is nervous. Stay at 96 and they will come to you.
leila: And if they do not?
mara: Then we all meet at 100 and call it an interpretation.
  + 😄 leila
@2 17:10
leila: The tuner asks whether we want 440 or 442.
mara: 440, we are a little flat by nature.
leila: I will not tell the tenors.
  + 🤫 mara
read leila mara
@1 13:25
mara: Do you have the key of the organ loft? Noah wants a microphone up there.
leila: It hangs behind the hymn books. There is a spider, she is friendly.
mara: I will let Noah introduce himself.
now-15
leila: One idea for the encore: your Goodnight song, without the piano, lights off. What do you think?`,
  `jonas tom
@6 22:15
tom: Thanks for the warm welcome on Tuesday, it was not easy to walk in there.
jonas: We were all new once. I mouthed my first three rehearsals.
tom: Really?
jonas: Really. Nobody noticed, which says a lot about tenors.
  + 😂 tom
@3 21:20
jonas: Sent you bar 40. How is it?
tom: Clear now. I was breathing where I should not.
jonas: It is always the breath. Or the page turn.
  + 🙏 tom
read jonas tom
@1 08:05
tom: About the solo: if I do it and it goes wrong, is there a plan B?
jonas: Plan B stands beside you and knows it by heart.
tom: That is you?
jonas: That is me.
  + ❤️ tom
now-62
tom: I will do it. The solo. I have told my mother, so now I have to.
jonas: That is how I was made treasurer.
  + 😂 tom`,
  `noah ines
@4 20:40
ines: Noah, dear Noah. Could you also look at the microphone by the door?
noah: Two dears is a lot of microphone.
ines: There is a second lasagne in it.
noah: I will be there at three.
  + 🍝 ines
@2 10:50
noah: The door microphone hums because it is plugged into the same socket as the fridge of the sacristy.
ines: Can we unplug the fridge?
noah: I can. God is watching, but I can.
ines: For two hours, and put it back in.
  = For two hours, and please put it back in afterwards.
read noah ines
now-30
noah: Tested with a new cable: silence. Beautiful, expensive silence.
ines: You are the best. Vegetables or meat?
noah: The lasagne? Surprise me.`,
  `priya ben
@5 18:00
priya: Your folder is number 17, and it has a bite mark.
ben: That was my nephew. He is one year old and likes Bach.
priya: It was the Rheinberger.
ben: Then he has taste.
  + 😄 priya
@2 09:30
ben: Do the scores have to be in the van, or do people carry their own?
priya: In the van, in the crate. People carry their own into the wrong bus.
ben: Fair.
  + 👍 priya
@1 16:05
priya: Scarf box: shall I keep the one with the anchors for you?
ben: Ines wants that one.
priya: Ines wanted it last year as well. First come, first scarf.
ben: Keep it. Say nothing.
  + 🤐 priya
read priya ben`,
]
