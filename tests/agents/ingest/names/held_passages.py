"""Passages of fiction with their names, aliases and speakers marked, to measure by.

They were written for this test, or from memory of prose in the public domain; the rules were developed on whole
novels. General faults that the first run showed were mended afterwards, so the figures of docs/ingest.md give both
runs. `LATER_PASSAGES` were written after that. `[[...]]` marks a name; `<<X>>` before a quotation mark says that the
speech is X's. A passage lists the names of each person who has several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"\[\[(.*?)\]\]|<<(.*?)>>(.)", re.DOTALL)


@dataclass(frozen=True)
class HeldPassage:
    title: str
    text: str
    names: tuple[tuple[int, int], ...]
    speakers: tuple[tuple[int, str], ...]
    """Where a quote starts, with its marks left off, and who speaks."""
    people: tuple[tuple[str, ...], ...]


def held_passage(title: str, marked_text: str, *people: tuple[str, ...]) -> HeldPassage:
    """Take the marks out of a passage."""
    names: list[tuple[int, int]] = []
    speakers: list[tuple[int, str]] = []
    parts: list[str] = []
    length = position = 0
    marked_text = marked_text.strip()
    for match in _MARK.finditer(marked_text):
        before = marked_text[position : match.start()]
        parts.append(before)
        length += len(before)
        if match[1] is not None:
            names.append((length, length + len(match[1])))
            parts.append(match[1])
            length += len(match[1])
        else:
            parts.append(match[3])
            length += 1
            speakers.append((length, match[2]))
        position = match.end()
    return HeldPassage(
        title, "".join((*parts, marked_text[position:])), tuple(names), tuple(speakers), people
    )


PASSAGES = (
    held_passage(
        "A lawyer and his friend",
        """
[[Mr. Utterson]] the lawyer was a man of a rugged countenance that was never lighted by a smile. He was often seen on
Sunday walks with [[Mr. Richard Enfield]], his distant kinsman, the well-known man about town.

It chanced on one of these rambles that their way led them down a by-street in a busy quarter of [[London]].
[[Mr. Enfield]]
and the lawyer were on the other side; but when they came abreast of the entry, the former lifted up his cane and
pointed.

<<Richard Enfield>>“Did you ever remark that door?” he asked; and when his companion had replied in the affirmative,
<<Richard Enfield>>“It is connected in my mind,” added he, <<Richard Enfield>>“with a very odd story.”

<<Utterson>>“Indeed?” said [[Mr. Utterson]], with a slight change of voice, <<Utterson>>“and what was that?”

<<Richard Enfield>>“Well, it was this way,” returned [[Mr. Enfield]]: <<Richard Enfield>>“I was coming home from some
place at the end of the world, about three o'clock of a black winter morning. Street after street, and all the folks
asleep.”

<<Utterson>>“And the man you saw?”

<<Richard Enfield>>“His name was [[Hyde]].”

<<Utterson>>“Hm,” said [[Utterson]]. <<Utterson>>“What sort of a man is he to see?”

Meanwhile [[Poole]], the butler of [[Dr. Jekyll]], had come to the corner of [[Cavendish Square]]. [[Dr. Lanyon]]
was not at
home. [[Henry Jekyll]] had not been seen since Tuesday; and [[Edward Hyde]] had the key.
""",
        ("Mr. Utterson", "Utterson"),
        ("Mr. Richard Enfield", "Mr. Enfield"),
        ("Dr. Jekyll", "Henry Jekyll"),
        ("Hyde", "Edward Hyde"),
    ),
    held_passage(
        "A whaler's berth",
        """
Call me [[Ishmael]]. Some years ago I thought I would sail about a little and see the watery part of the world. I
stuffed a
shirt or two into my old carpet-bag and started for [[Cape Horn]] and the [[Pacific]]. Quitting the good city of old
[[Manhatto]], I duly arrived in [[New Bedford]]. It was a Saturday night in December.

The landlord of the [[Spouter Inn]] was one [[Peter Coffin]]. Yes, [[Coffin]] was his name.

<<Ishmael>>"Landlord!" said I, <<Ishmael>>"what sort of a chap is he? Does he always keep such late hours?"

<<Peter Coffin>>"No," answered [[Coffin]], <<Peter Coffin>>"generally he's an early bird. But to-night he went out
a-peddling, you see."

At last a tall stranger came in with a candle in one hand. Good heavens, what a face! It was [[Queequeg]].

<<Queequeg>>"Who-e debel you?" he cried at last, when he saw me. <<Queequeg>>"You no speak-e, dam-me, I kill-e."

<<Ishmael>>"Landlord, for God's sake, [[Peter Coffin]]!" shouted I. <<Ishmael>>"[[Coffin]]! Angels! Save me!"

<<Peter Coffin>>"Don't be afraid now," said he, grinning again. <<Peter Coffin>>"[[Queequeg]] here wouldn't harm a
hair
of your head."

In [[Nantucket]] we signed under [[Captain Peleg]] and [[Captain Bildad]]. [[Peleg]] was loud, and [[Bildad]] read his
Bible. The ship was the [[Pequod]]; her captain was [[Ahab]].

<<Ishmael>>"And who is [[Captain Ahab]], sir?" I asked.

<<Peleg>>"And what dost thou want of [[Captain Ahab]]?" said [[Peleg]], turning round.
""",
        ("Peter Coffin", "Coffin"),
        ("Captain Peleg", "Peleg"),
        ("Captain Bildad", "Bildad"),
        ("Ahab", "Captain Ahab"),
    ),
    held_passage(
        "Four sisters",
        """
<<Jo>>"Christmas won't be Christmas without any presents," grumbled [[Jo]], lying on the rug.

<<Meg>>"It's so dreadful to be poor!" sighed [[Meg]], looking down at her old dress.

<<Amy>>"I don't think it's fair for some girls to have plenty of pretty things, and other girls nothing at all," added
little [[Amy]], with an injured sniff.

<<Beth>>"We've got Father and Mother, and each other," said [[Beth]] contentedly from her corner.

The four young faces on which the firelight shone brightened at the cheerful words, but darkened again as [[Jo]]
said sadly,
<<Jo>>"We haven't got Father, and shall not have him for a long time."

[[Margaret]], the eldest of the four, was sixteen, and very pretty. [[Jo March]] was tall and thin; [[Elizabeth]], or
[[Beth]], as everyone called her, was a rosy, shy girl of thirteen. [[Amy]] was the youngest.

<<Amy>>"[[Jo]] does use such slang words!" observed [[Amy]], with a reproving look.

[[Jo]] immediately sat up, put her hands in her pockets, and began to whistle.

<<Amy>>"Don't, [[Jo]]. It's so boyish!"

<<Jo>>"That's why I do it."

<<Amy>>"I detest rude, unladylike girls!"

<<Jo>>"I hate affected, niminy-piminy chits!"

<<Beth>>"Birds in their little nests agree," sang [[Beth]], the peacemaker.

Next door lived old [[Mr. Laurence]] and his grandson. [[Theodore Laurence]] was called [[Laurie]] by his friends,
and his
tutor was [[Mr. Brooke]]. [[Aunt March]] disapproved of them all.
""",
        ("Elizabeth", "Beth"),
        ("Meg", "Margaret"),
        ("Jo", "Jo March"),
        ("Theodore Laurence", "Laurie"),
    ),
    held_passage(
        "A journal from the mountains",
        """
3 May. Bistritz. Left [[Munich]] at 8:35 P.M., arriving at [[Vienna]] early next morning. [[Buda-Pesth]] seems a
wonderful
place. I had visited the [[British Museum]] and made search among the maps regarding [[Transylvania]].

Within, stood a tall old man, clean shaven save for a long white moustache, and clad in black from head to foot. He
held an
antique silver lamp, and said in excellent English:

<<Dracula>>“Welcome to my house! Enter freely and of your own will!”

I bowed as I said, interrogatively, <<Harker>>“[[Count Dracula]]?”

<<Dracula>>“I am [[Dracula]]; and I bid you welcome, [[Mr. Harker]], to my house. Come in; the night air is chill.”

The [[Count]] halted, putting down my bags. [[Jonathan Harker]] was my name on the letter that [[Mr. Hawkins]] had
sealed.

<<Dracula>>“Come,” he said, <<Dracula>>“tell me of [[London]] and of the house which you have procured for me.”

<<Harker>>“The estate is called [[Carfax]],” I answered. <<Harker>>“It is at [[Purfleet]].”

Meanwhile [[Mina]] wrote to [[Lucy Westenra]] at [[Whitby]]. [[Lucy]] had three suitors: [[Arthur Holmwood]],
[[Dr. Seward]], and a Texan named [[Quincey Morris]].

<<Lucy Westenra>>“Oh, [[Mina]],” said [[Lucy]], <<Lucy Westenra>>“I do love him!”

<<Mina>>“And does [[Mr. Holmwood]] know it?” asked [[Mina]].

<<Lucy Westenra>>“He shall know it to-morrow.”
""",
        ("Count Dracula", "Dracula", "Count"),
        ("Mr. Harker", "Jonathan Harker"),
        ("Lucy Westenra", "Lucy"),
        ("Arthur Holmwood", "Mr. Holmwood"),
    ),
    held_passage(
        "A priest on Hampstead Heath",
        """
The most famous policeman of [[Paris]], [[Valentin]], had come from [[Brussels]] to [[London]] to make the greatest
arrest of
the century. [[Flambeau]] was in [[England]]. In the train he had seen a very short Roman Catholic priest going up
from a
small [[Essex]] village. The priest explained that he had something made of real silver with blue stones.

Hours later, on [[Hampstead Heath]], two black figures sat upon a bench.

<<Father Brown>>‘Reason is always reasonable,’ said [[Father Brown]], <<Father Brown>>‘even in the last limbo.’

The other priest raised his austere face. <<Flambeau>>‘Yet who knows if in that infinite universe——?’

<<Father Brown>>‘Only infinite physically,’ said the little priest, turning sharply in his seat.

<<Flambeau>>‘Just hand over that sapphire cross of yours,’ said [[Flambeau]], without altering his attitude.

<<Father Brown>>‘I'm afraid I can't,’ said [[Brown]].

<<Flambeau>>‘No,’ cried [[Flambeau]]; <<Flambeau>>‘you won't give it me, you proud prelate. Shall I tell you why?
Because I've got it.’

<<Father Brown>>‘Are you quite sure?’

[[Valentin]] stepped out from behind a tree with two policemen. [[Flambeau]] sprang back and swept [[Valentin]] a
great bow.

<<Valentin>>‘Do not bow to me, mon ami,’ said [[Valentin]]. <<Valentin>>‘Let us both bow to our master.’
""",
        ("Father Brown", "Brown"),
    ),
    held_passage(
        "A tavern at the ford",
        """
The rain had not let up since [[Harrowmere]]. [[Captain Ilsabet Crane]] shook it from her hat and looked for an
empty table in
the [[Drowned Lantern]]. There was none. At the hearth sat [[William "Bill" Hark]], whom the carters called the
[[Ox]].

<<Ilsabet Crane>>"You're in my chair, [[Bill]]."

<<William Hark>>"Evening, [[Captain]]." He did not get up. <<William Hark>>"The [[Salt Guild]] sends its regards."

[[Crane]] pulled off her gloves, finger by finger. <<Ilsabet Crane>>"Does it? And what does [[Oswin Tarle]] send?"

<<William Hark>>"Nothing that I could repeat in front of [[Sister Amity]]."

The nun by the window snorted. <<Sister Amity>>"I was a sailor before I was a bride of Heaven, [[Mr. Hark]]. Repeat
it."

[[Hark]] reddened. Outside, the bells of [[Saint Orrin's Abbey]] began to ring, although it was not the hour.

<<Ilsabet Crane>>"That," said [[Ilsabet]], <<Ilsabet Crane>>"is the signal from [[Gallow Hill]]. [[Tarle]] has
closed the
[[Old Road]]."

<<William Hark>>"Then we go by the river," [[Bill]] said.

<<Sister Amity>>"The [[Ashwater]] is in flood," said [[Amity]]. She was already packing. <<Sister Amity>>"We go by
[[Tarrow Bridge]] or we do not go."

Nobody argued. [[Crane]] left two coins on the table: one for the beer and one for [[Lady Luck]].
""",
        ("Captain Ilsabet Crane", "Crane", "Ilsabet"),
        ("William Hark", "Bill", "Hark", "Mr. Hark", "Ox"),
        ("Oswin Tarle", "Tarle"),
        ("Sister Amity", "Amity"),
    ),
    held_passage(
        "Expectations on the marsh",
        """
My father's family name being [[Pirrip]], and my Christian name [[Philip]], my infant tongue could make of both
names nothing
longer or more explicit than [[Pip]]. So, I called myself [[Pip]], and came to be called [[Pip]].

I give [[Pirrip]] as my father's family name, on the authority of his tombstone and my sister, [[Mrs. Joe Gargery]],
who
married the blacksmith.

<<the convict>>“Hold your noise!” cried a terrible voice, as a man started up from among the graves.
<<the convict>>“Keep
still, you little devil, or I'll cut your throat!”

<<Pip>>“Oh! Don't cut my throat, sir,” I pleaded in terror. <<Pip>>“Pray don't do it, sir.”

<<the convict>>“Tell us your name!” said the man. <<the convict>>“Quick!”

<<Pip>>“[[Pip]], sir.”

<<the convict>>“Once more,” said the man, staring at me. <<the convict>>“Give it mouth!”

<<Pip>>“[[Pip]]. [[Pip]], sir.”

When I ran home to the forge, [[Joe Gargery]] was sitting alone in the kitchen. [[Joe]] and I being
fellow-sufferers, he
imparted a confidence to me.

<<Joe Gargery>>“[[Mrs. Joe]] has been out a dozen times, looking for you, [[Pip]]. And she's out now.”

<<Pip>>“Is she?”

<<Joe Gargery>>“Yes, [[Pip]],” said [[Joe]]; <<Joe Gargery>>“and what's worse, she's got Tickler with her.”

[[Uncle Pumblechook]] and [[Mr. Wopsle]] dined with us at one. [[Miss Havisham]] of [[Satis House]] had asked for a
boy; and
[[Estella]] was to play with him. [[Mr. Pumblechook]] drove me there.
""",
        ("Joe Gargery", "Joe"),
        ("Mrs. Joe Gargery", "Mrs. Joe"),
        ("Uncle Pumblechook", "Mr. Pumblechook"),
    ),
    held_passage(
        "The dig at Karsis",
        """
[[Dr. Amara Osei]] had been promised three weeks at [[Karsis]] and had been given nine days. By the fourth,
[[Professor Lindqvist]] was no longer speaking to her.

<<Tomas>>‘He'll come round,’ said [[Tomas]]. He was the youngest of them and the only one who could start the
generator.

<<Amara Osei>>‘[[Lindqvist]] has never come round to anything,’ [[Amara]] said. <<Amara Osei>>‘He was born facing
away.’

[[Tomas]] laughed. <<Tomas>>‘What does the [[Ministry]] say?’

<<Amara Osei>>‘The [[Ministry]] says that [[Deputy Minister Rahal]] is ill, that his secretary is ill, and that the
telephone
is ill.’ She wiped the lens of the camera. <<Amara Osei>>‘I rang from the [[Hotel Meridian]] in [[Port Salah]]. I
might as well
have rung the moon.’

Down in trench two, [[Ines Caldeira]] straightened and put a hand to her back. <<Ines Caldeira>>‘[[Osei]]!’ she
called.
<<Ines Caldeira>>‘You'll want to see this.’

It was a bronze hand, green with age.

<<Amara Osei>>‘Don't touch it,’ said [[Amara]].

<<Ines Caldeira>>‘I've been doing this since before you could read,’ [[Ines]] said mildly, <<Ines Caldeira>>‘but
thank you.’

[[Lindqvist]] came at a run, his notes flying. He looked at the hand, then at [[Amara Osei]], and for the first time
in four
days he spoke to her.

<<Professor Lindqvist>>‘Well?’ said the professor. <<Professor Lindqvist>>‘Are you going to stand there?’
""",
        ("Dr. Amara Osei", "Amara", "Osei", "Amara Osei"),
        ("Professor Lindqvist", "Lindqvist"),
        ("Ines Caldeira", "Ines"),
    ),
    held_passage(
        "An owner and her horse",
        """
[[Lady Marchbanks]] would not hear of it. [[Sir Giles Marchbanks]] had bought the mare at [[Tattersall's]], and her
ladyship
did not care for mares that had been bought in [[London]].

<<Sir Giles Marchbanks>>"My dear," said [[Sir Giles]], <<Sir Giles Marchbanks>>"she has the sweetest temper in
[[Leicestershire]]."

<<Lady Marchbanks>>"So had [[Colonel Wray]]," replied his wife, <<Lady Marchbanks>>"and look what became of
[[Mrs. Wray]]."

[[Sir Giles]] was silent. [[Miss Honor Wray]], who sat between them, cut her toast into very small squares.

<<Honor Wray>>"Papa fell in the [[Crimea]]," she said at length.

<<Lady Marchbanks>>"Precisely my point, child. He would ride a mare."

<<Honor Wray>>"It was a fever, [[Aunt Augusta]]."

<<Lady Marchbanks>>"Then he would have a fever. The [[Wrays]] never could do a thing by halves."

[[Parker]] came in with the post, and [[Lady Marchbanks]] held out her hand. There was a letter from [[Bath]], one
from
[[Edinburgh]], and a third that had been sealed in black. [[Honor]] knew the writing at once: it was
[[Ned Farrant]]'s.
[[Farrant]], whom everyone but [[Honor]] called [[Handsome Ned]], had sailed in the [[Calliope]] for [[Bombay]].
""",
        ("Sir Giles Marchbanks", "Sir Giles"),
        ("Miss Honor Wray", "Honor"),
        ("Ned Farrant", "Farrant"),
    ),
    held_passage(
        "Dispatches from the common",
        """
No one would have believed in the last years of the nineteenth century that this world was being watched. The storm
burst upon
us six years ago now. [[Lavelle]] of [[Java]] set the wires of the astronomical exchange palpitating. [[Ogilvy]], the
well-known astronomer, was at [[Ottershaw]]. I might not have heard of the eruption at all had I not met [[Ogilvy]].

Then came the night of the first falling star. It was seen rushing over [[Winchester]] eastward. [[Denning]], our
greatest
authority on meteorites, stated that the height of its first appearance was about ninety miles. [[Ogilvy]] rose
early, and
found it on the common between [[Horsell]] and [[Woking]].

He met a waggoner, and saw [[Henderson]], the [[London]] journalist, in his garden.

<<Ogilvy>>"[[Henderson]]," he called, <<Ogilvy>>"you saw that shooting star last night?"

<<Henderson>>"Well?" said [[Henderson]].

<<Ogilvy>>"It's out on [[Horsell Common]] now."

<<Henderson>>"Good Lord!" said [[Henderson]]. <<Henderson>>"Fallen meteorite! That's good."

<<Ogilvy>>"But it's something more than a meteorite. It's a cylinder, an artificial cylinder, man!"

[[Henderson]] stood up with his spade in his hand. Half the town of [[Weybridge]] was there by noon: [[Stent]],
another
astronomer, and [[Lord Hilton]], lord of the manor. Two days later the [[Cardigan]] regiment marched through
[[Chertsey]].
""",
    ),
)

LATER_PASSAGES = (
    held_passage(
        "A trial in the colony",
        """
When [[Governor Thrale]] landed at [[Port Merrow]], in the spring of 1788, there was no prison in the settlement,
and the
marines under [[Lieutenant Ashby]] slept in tents. [[Thrale]] was a Yorkshireman, and did not like tents.

<<Governor Thrale>>"Where is the magistrate?" said he to [[Ashby]].

<<Lieutenant Ashby>>"There is none, your Excellency. There was a [[Mr. Pell]], but he died of the flux at the
[[Cape]]."

<<Governor Thrale>>"Then who sits?"

<<Lieutenant Ashby>>"Nobody sits," the lieutenant answered, wiping his forehead. <<Lieutenant Ashby>>"The [[Reverend
Josiah Blount]] reads them a psalm, and [[Sergeant Mudge]] beats them."

[[Blount]], who had come up in time to hear this, bowed. He was a stout man with a stammer.
<<Reverend Josiah Blount>>"It
answers, sir," said he. <<Reverend Josiah Blount>>"It answers wonderfully. [[Hannah Cray]] has not stolen so much as a
spoon since Whitsun."

<<Governor Thrale>>"And who," asked the [[Governor]], <<Governor Thrale>>"is [[Hannah Cray]]?"

There was a silence. In the second tent somebody laughed: a woman, and not a young one.

<<Hannah Cray>>"I am," she said. [[Hannah]] stood up and made him a curtsy. <<Hannah Cray>>"[[Hannah Cray]], of
[[Shadwell]], at your service; and I never stole no spoon. It was a ladle."
""",
        ("Governor Thrale", "Thrale", "Governor"),
        ("Lieutenant Ashby", "Ashby"),
        ("Reverend Josiah Blount", "Blount"),
        ("Hannah Cray", "Hannah"),
    ),
    held_passage(
        "Third watch on the Perihelion",
        """
[[Kestrel Okonkwo-Vance]] woke to the sound of the pumps. The [[Perihelion]] never slept; it only muttered.

“[[Vance]].” The voice in her ear was [[Dimitri]]’s. <<Dimitri>>“You’d better come up to the bridge.”

<<Kestrel Okonkwo-Vance>>“Is it [[Ceres]] again?”

<<Dimitri>>“It’s the [[Commission]].”

She swore, and pulled on her boots. Outside, [[Lieutenant Sato]] was already running. [[Kestrel]] caught up with him
at the
hatch.

<<Lieutenant Sato>>“They want the cargo manifest,” [[Sato]] said. He did not look at her. <<Lieutenant Sato>>“And they
want [[Halloran]].”

<<Kestrel Okonkwo-Vance>>“[[Halloran]] got off at [[Vesta Station]].”

<<Lieutenant Sato>>“That’s what I told them.”

On the bridge [[Dimitri Asimakis]] turned his chair around. Behind him the great dark limb of [[Ganymede]] filled the
screen, and against it, very small, a light.

<<Dimitri>>“They say they’ll board in twenty minutes, [[Captain]],” he said.

[[Kestrel]] sat down. <<Kestrel Okonkwo-Vance>>“Then we have nineteen to find out what [[Halloran]] left in my hold.”
""",
        ("Kestrel Okonkwo-Vance", "Vance", "Kestrel"),
        ("Dimitri", "Dimitri Asimakis"),
        ("Lieutenant Sato", "Sato"),
    ),
    held_passage(
        "The aunt and the umbrella",
        """
My [[Aunt Dahlia]] has a carrying voice. <<Aunt Dahlia>>‘[[Bertram]]!’ she bellowed, and a passing wasp changed its
mind.

<<I>>‘What ho, aged relative,’ I said.

<<Aunt Dahlia>>‘Don't you what-ho me, you blot. Where is [[Gussie Prewitt]]?’

<<I>>‘In [[Droitwich]], I believe. He went to see about some newts.’

<<Aunt Dahlia>>‘He is nothing of the kind. He is in the boathouse with [[Lord Emsley]]’s umbrella, and
[[Madeleine Basset]]
is in tears.’

I gave this a moment's thought. [[Miss Basset]] was often in tears, and usually on my account.

<<I>>‘[[Jeeves]] will know what to do,’ I said.

<<Aunt Dahlia>>‘[[Jeeves]],’ said my aunt, <<Aunt Dahlia>>‘is on his holiday. You gave it him, you unspeakable
chump. He is
shrimping at [[Bognor Regis]].’

There was a cough like that of a sheep on a distant hillside.

<<Jeeves>>‘I took the liberty of returning, sir,’ said [[Jeeves]]. <<Jeeves>>‘The shrimps were disappointing.’
""",
        ("Madeleine Basset", "Miss Basset"),
    ),
    held_passage(
        "A winter on the steppe",
        """
In the town of [[Krasnoye]], on the left bank of the [[Ulva]], there lived in those years a retired captain named
[[Pyotr
Ilyich Zhdanov]]. He had one daughter, [[Natalya Petrovna]], and two dogs. Of the daughter it was said that she had
once
refused a prince; of the dogs nothing was said at all.

<<Pyotr Ilyich>>"[[Natasha]]," [[Pyotr Ilyich]] would say of an evening, pushing away his tea, <<Pyotr Ilyich>>"read
me
something."

<<Natalya Petrovna>>"What shall I read, Papa?"

<<Pyotr Ilyich>>"Whatever you like. Only not [[Pushkin]]. [[Pushkin]] is for the young."

One evening in February there came a knock. [[Natalya Petrovna]] took the candle and went out into the passage. On
the step
stood a young man covered with snow.

<<the young man>>"Forgive me," said the young man. <<the young man>>"I have lost the road to [[Vyazovka]]. My name is
[[Sergei Andreyevich Belov]]."

<<Natalya Petrovna>>"You had better come in," said [[Natalya Petrovna]], <<Natalya Petrovna>>"before my father sends
the
dogs to you."

[[Belov]] laughed and stamped his feet. The old captain looked at him for a long time over his spectacles.

<<Pyotr Ilyich>>"[[Belov]]?" he said at last. <<Pyotr Ilyich>>"There was a [[Belov]] with us at [[Plevna]]. He owed me
eleven roubles."
""",
        ("Pyotr Ilyich Zhdanov", "Pyotr Ilyich"),
        ("Natalya Petrovna", "Natasha"),
        ("Sergei Andreyevich Belov", "Belov"),
    ),
)
