"""Lines of narration about the people, places and things of one small world: those that state something, and others.

Mara, Dob Harrow, Iselin Quay, Tam, Bela and Captain Vess are people, Rat is a creature, Pier Nine, Salvage Skiff, Tower
and The Hall are places, there are the Glass Bell and The Red Sedge.
"""

from __future__ import annotations

from typing import Final

LASTING: Final = """
Tam is twelve.
Tam is afraid of Captain Vess.
Dob Harrow was Tam's father.
Tam is in love with Bela.
Tam is a prisoner of Captain Vess.
Tam is Bela's apprentice.
Tam has become Bela's apprentice.
Bela married Captain Vess at midsummer.
Bela adopts Tam.
Captain Vess arrests Dob Harrow.
Captain Vess arrests Dob Harrow for the murder of Tam.
Dob Harrow was arrested.
Pier Nine lies north of the Tower.
The Hall has no door.
Dob Harrow stole the glass bell.
Dob Harrow never stole the glass bell.
Dob has stolen the Glass Bell.
The glass bell was stolen by Dob Harrow.
The Glass Bell was stolen.
Iselin Quay is in Pier Nine.
Iselin is at Pier Nine now.
Iselin Quay is not in Pier Nine.
Dob Harrow is dead.
Dob Harrow dies.
Dob Harrow dies in the Tower.
Dob Harrow died last night.
Dob was killed by Captain Vess.
Dob bled to death.
Dob freezes to death.
Dob passed away.
Dob did not survive the winter.
Dob was put to death.
Captain Vess drowned Dob.
Captain Vess stabbed Dob to death.
Vess killed Dob.
Vess kills Dob Harrow.
Dob Harrow is alive.
Dob is not dead.
Dob owns the Salvage Skiff.
The skiff belongs to Dob.
Captain Vess gave the glass bell to Bela.
Captain Vess gives the glass bell to Bela.
Vess gives Bela the Glass Bell.
Bela is an enemy of Tam.
Bela and Tam are enemies.
Bela and Tam are friends.
Bela and Tam become friends.
Bela becomes Tam's enemy.
Bela became an enemy of Tam.
Bela has become Tam's friend.
Bela turns against Tam.
Bela turned against Tam.
Bela befriends Tam.
Bela is Tam's sister.
Bela is the mother of Tam.
Tam is married to Bela.
Tam marries Bela.
Tam and Bela are married.
Tam is a member of the Red Sedge.
Tam is no member of the Red Sedge.
Bela is not Tam's sister.
Tam never drinks.
Tam never eats fish.
Tam has never met Bela.
Tam owes Bela three coins.
Bela owes forty marks to Tam.
Vess serves the Red Sedge.
Vess leads the Red Sedge.
Vess is the captain of the Salvage Skiff.
The captain of the Salvage Skiff is Vess.
Tam lives in the Tower.
Tam has one hand.
Bela has two sons.
Bela has no children.
The Glass Bell is in the Tower.
The Glass Bell hangs in the Tower.
The Glass Bell is broken.
The Tower is destroyed.
The Tower is ruined.
Tam is blind.
Tam is guilty.
Tam is a prisoner.
Tam betrayed Vess.
Vess loves Bela.
Tam knows Bela.
Tam joined the Red Sedge.
Tam joins the Red Sedge.
Tam has the Glass Bell.
Tam is forty years old.
Tam was born in the Tower.
The Glass Bell is Tam's.
The rat dies.
Rat dies.
Rat is dead.
The rat is dead.
Bela is with child.
Bela is a widow.
Dob Harrow lies dead in the Hall.
Dob drops dead.
Dob falls dead.
Dob is killed.
Tam is buried in the Tower.
Dob Harrow is the owner of the Salvage Skiff.
Vess murdered Dob in the Tower.
Tam sold the skiff to Bela.
Tam is no longer a member of the Red Sedge.
Tam is Bela's father.
Bela's brother is Tam.
Suddenly Rat dies.
Then Rat dies.
Rat dies with a squeal.
Vess is dead, and the Glass Bell is gone.
""".strip().splitlines()

OF_THE_MOMENT: Final = """
Tam joins the Red Sedge at the table.
Tam does not join the Red Sedge.
Tam joins Bela.
Tam is Bela's match.
Tam is Bela's shadow.
Tam has no sword.
Tam stands north of the Tower.
Captain Vess arrests her step.
The sound arrests Tam.
Tam is in love.
Tam was in love with Bela once.
Bela adopts a stern look.
Mara runs to the gate.
The rain beats on the roof.
Vess looks at the bell.
Vess is angry.
Tam is tired and hungry.
Tam is at the door.
Bela is on her knees.
Tam has no answer.
Tam has a knife in each hand.
Bela has nothing to say.
Vess is ready.
Vess is silent.
Vess is gone.
Tam is not amused.
Vess is not here.
Vess never looks up.
Tam never takes his eyes off you.
Bela never smiles.
Vess cannot answer.
Tam can see the Tower from here.
Bela gives Tam a push.
Bela gives Tam a smile.
Vess gives the bell a push.
Tam takes the Glass Bell from the shelf.
Bela carries the Glass Bell to the Tower.
Vess serves Tam a cup of wine.
Tam knows the way.
Vess leads Tam to the Tower.
Bela is standing in the Tower.
Tam sits in the Tower.
Vess waits at Pier Nine.
Vess is about to die.
Tam is dying.
Tam is nearly dead.
Bela is dead tired.
Tam is dead drunk.
Tam is dead on his feet.
The fire dies.
The wind dies down.
The laughter dies.
Vess kills the light.
Vess kills the fire in the hearth.
Tam steals a glance at Vess.
Tam steals away into the Tower.
Bela steals the show.
If Tam is dead, Vess owns the skiff.
Vess says that Tam is dead.
Vess says Tam is dead.
“Tam is dead,” says Vess.
'Tam is dead,' says Vess.
Tam is dead, says Vess.
Everyone thinks Tam is dead.
The letter says: Tam is dead.
Is Tam dead?
Tam might be dead.
Tam would be dead by now.
Tam looks dead.
Tam is not himself.
Tam is in trouble.
Tam is in a hurry.
Tam is at a loss.
Vess is in charge here.
Vess is in the middle of a story.
Vess is in front of you.
You are in the Tower.
He is dead.
She owns the skiff.
It is dark in the Tower.
There is a bell in the Tower.
The Tower is quiet.
The Tower is dark and cold.
The Hall is full of smoke.
The Hall is empty.
The Glass Bell is in your hands.
The Glass Bell is cold.
The Glass Bell rings.
The Glass Bell hangs still.
Pier Nine is busy this morning.
Tam is a mess.
Vess is the first to speak.
Bela is the last to leave.
Vess is the only one who smiles.
Tam is Vess's match at dice.
Tam is no fool.
Vess has been drinking.
Vess has come to the Tower.
Tam has lost the key.
Tam has the look of a man in debt.
Bela has blood on her sleeve.
Tam has his hand on the Glass Bell.
Vess is with Tam.
Vess is behind Tam.
Tam was in the Tower.
Vess owned the room.
Tam loves this song.
Bela hates the rain.
Tam trusts nobody here.
Tam broke the silence.
Bela burned the letter.
Vess lost the thread.
Tam met Bela at the door.
Bela visited the Hall.
Tam found Bela in the Tower.
Vess gave Tam the news.
Tam gave Bela a look.
Tam is Bela's shadow tonight.
Tam is the very picture of misery.
Vess is bound for Pier Nine.
Vess is free to go.
Tam is blind drunk.
Bela is deaf to it.
Tam is poor at cards.
Bela is rich in friends.
Vess is true to form.
Tam is lost.
Mara is in the doorway of the Tower.
The Tower stands open.
The key lies on the table.
A child is dead.
Nobody owns the Tower.
No one is in the Tower.
Tam and Bela are old hands at this.
Tam never lies still.
Bela never eats before noon.
In the dream, Tam is dead.
In the song Tam owns the Tower.
Once, Tam was dead.
Tam always sits in the Tower.
Vess is always late.
Tam is never early.
Tam is in the Tower's shadow.
Vess is in no mood to talk.
The Tower is in flames.
The Hall is on fire.
Bela has two cups in her hands.
Bela has two hands on the rope.
Tam has three wounds.
Tam has two days left.
Vess has one eye on the door.
Vess has a brother in every port.
Tam has one leg over the wall.
Tam hangs in the balance.
The Glass Bell stands in the light.
Tam is wounded.
Vess is poisoned.
Bela is sick.
Bela is asleep.
Tam is bound to the mast.
Tam is chained to the wall.
Tam is locked out.
Vess is locked in thought.
Bela is free.
Bela is free at last.
Bela is loyal to a fault.
Vess is true to her word.
Tam is a child again.
Vess is a prisoner of her own pride.
Bela is a captive audience.
Tam is in Vess's way.
Tam is in Vess's hands now.
The Glass Bell is in Tam's hands.
Tam has the Glass Bell in his hands.
Tam has the Glass Bell at his feet.
Tam joins Vess.
Tam joined Vess at the table.
Vess freed Tam from the ropes.
Vess rescued Tam from the water.
Bela gave the Tower a long look.
Bela gave Tam to understand that it was late.
Bela lent Tam a hand.
Vess sold Tam a lie.
Vess sold Tam short.
Tam burned Vess with a look.
Vess raised Tam to his feet.
Vess buried Tam under questions.
Vess destroyed Tam at dice.
Vess killed the mood.
Tam kills time.
Tam marries caution with luck.
Tam fears the worst.
Tam fears Vess.
Vess trusts Tam with the rope.
Tam loves Bela's stew.
Bela fears for Tam.
Tam rules himself out.
Vess rules the table.
Tam is the heir of his own troubles.
Vess is the keeper of the keys tonight.
Bela is the leader of the pack.
Vess is the captain here.
Tam is the judge of that.
Vess is the thief.
Tam is a thief.
Tam is Tam.
The Tower is the Tower.
Mara, a hand on the bell, waits.
Mara, the last of the light behind her, waits.
Mara, Tam behind her, waits.
Mara, the bell in her arms, waits.
Tam, the worse for drink, sings.
Tam, the picture of calm, sings.
Tam, Vess and Bela, are here.
Tam, Vess's hand on his arm, nods.
Bela, a daughter of the river, nods.
The Glass Bell is lost in the dark.
The Glass Bell is broken down to its parts.
The Glass Bell is sold at a loss.
The Tower is broken only by windows.
The Glass Bell is buried under leaves.
Tam is buried in his book.
Tam is buried in work.
Tam is drowned out by the bell.
Tam is hanged if he knows.
Tam is hung over.
Tam was born for this.
The silence is killed by Tam.
Bela dies of shame.
Bela dies of laughter.
Tam dies a little inside.
Tam dies to know.
Tam died laughing.
Tam was bored to death.
Tam is scared to death.
Tam drowned his sorrows.
Tam drowns in paperwork.
Bela turns on Tam.
Bela turns against the wind.
Bela had become Tam's enemy.
Tam almost died.
Vess dies down.
Tam dies hard.
Vess's smile dies.
Tam's voice dies away.
Tam's laughter dies.
Tam's hope is dead.
The engine dies.
The conversation is dead.
The Tower is dead.
The Hall is dead quiet.
Tam's horse is dead.
Bela comes from the Tower.
Tam lives for this.
Tam lives in fear.
Vess lives in the past.
Bela owns the room.
Bela owns up.
Vess owes everything to luck.
Tam belongs here.
Tam belongs to nobody.
Tam belongs in the Tower.
Vess is known to Tam.
Tam is old.
Tam never gives up.
Vess never sleeps on watch.
Tam never pays attention.
Vess never carries on.
Tam never wears a smile.
Bela never crosses the threshold tonight.
Tam can read Vess like a book.
Tam can read the room.
Tam can swim across.
Tam can ride no further.
Vess can lie with a straight face.
Only Tam can see the Glass Bell.
Tam is not Vess.
Tam is not Vess's friend tonight.
""".strip().splitlines()
