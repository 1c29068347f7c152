export const cakes = `
@7 14:10
leila: Cake list for Tuesday is open. I begin: lemon drizzle.
  + 🍋 ines tom mara
ines: Apple crumble, if my oven lives.
noah: I bring crisps. Somebody has to represent salt.
  + 🧂 ben
tom: I can make brownies. They are my only dish.
mara: Then we know everything that matters about you. Welcome!
  + ❤️ tom
@6 11:40
leila: Does anybody not eat nuts?
tom: I do not, they make my tongue itch. So the brownies are safe.
ines: Noted, no nuts on Tuesdays from now on.
  + 🙏 tom
leila: I will put a sign on the table as well.
@6 16:15
noah: Important: is the coffee machine of the parish hall still the one that bites?
leila: It has a new handle. It only growls now.
mara: Take the milk from the left fridge, the right one belongs to the scouts.
  > noah: I have had scout milk for two years.
  > mara: They know, Noah. There is a drawing of you on the door.
  > noah: It is a good likeness.
read leila ines noah tom mara
@5 21:55
ines: The crumble is gone, the lemon cake is gone, there is half a brownie left.
tom: Was.
  + 😂 ines leila noah mara
noah: The crisps were finished first, I want that in the minutes.
leila: So noted.
@4 10:20
leila: Photo of the table is in the folder. We look like people who also sing.
  + 📷 ines mara
mara: I could live in that lemon cake. Recipe?
leila: 225 butter, 225 sugar, 4 eggs, 225 flour, two lemons. Syrup: juice of two lemons and 85 sugar, while it is hot.
  = 225 butter, 225 sugar, 4 eggs, 225 self-raising flour, two lemons. Syrup: juice of two lemons and 85 sugar, poured on while it is hot.
  + 🙏 mara tom ines
  pin
tom: How long in the oven?
leila: 45 minutes at 180, look at it after 40.
@4 17:05
noah: I made it. It has the shape of the Isle of Wight.
  + 😂 leila ines
" leila: Did you look at it after 40 minutes?
noah: I looked at it. It looked back.
@3 13:15
ines: Walk on Sunday, along the shore to the lighthouse? Back before dark, dogs welcome.
  + 👍 leila tom mara
mara: Yes! I need an hour in which nobody sings.
tom: I will hum very quietly.
mara: Tom.
  + 😄 ines
leila: Ten o'clock at the jetty?
ines: Ten o'clock. Bring wellies, the path is under water.
@2 18:00
mara: That was exactly what I needed. Thank you for the tea, Leila.
  + ☕ leila
tom: My boots will be dry in spring.
noah: I missed it because I slept until eleven. I regret nothing.
ines: We saw a seal!
  + 🦭 leila mara tom noah
noah: I regret everything.
  + 😂 ines leila
@1 12:00
leila: New list: who brings what on Tuesday? I begin again: ginger cake.
ines: Plums are on sale: plum tart.
tom: Brownies. You knew that.
noah: Crisps, two kinds. I have listened to feedback.
  + 👏 tom leila
mara: I bring nothing and eat everything.
  x
mara: I bring grapes, and I eat everything.
  + 🍇 ines
now-22
leila: Could somebody bring a second thermos? Ours has retired.
tom: I have one, one litre, with a dent.
leila: A dent gives it character. Thank you @tom!
  + ☕ tom
read leila tom
`
