"""Passages of fiction that were written and marked before any rule was run on them, marked as in `held_passages`.

They hold what the earlier ones have little of: invented names, ranks, nicknames, letters, talk among three and more,
speakers told only by what they do. General faults that the first run on each showed were mended, those of
`BLIND_PASSAGES` before `SECOND_BLIND_PASSAGES` were written; docs/ingest.md gives the figures of both runs.
"""

from __future__ import annotations

from tests.agents.ingest.names.held_passages import held_passage

BLIND_PASSAGES = (
    held_passage(
        "A ferry under siege",
        """
The ferry had not crossed since the thaw. [[Sergeant Ilka Thorne]] counted the lamps on the far bank of the [[Ister]],
and did not like the sum.

<<Thorne>>“Eleven,” said [[Thorne]]. <<Thorne>>“Yesterday it was nine.”

<<Pell>>“Maybe they bought more lamps,” [[Corporal Pell]] offered. He was eating an onion as if it were an apple.

Nobody laughed. Behind them the ferryman's daughter, [[Wenna]], was pulling the rope through her hands and saying
nothing. Her father had been [[Osgar Dray]], and since Tuesday the ferry was hers.

<<Thorne>>“How long to bring a company over?” the sergeant asked.

<<Wenna>>“A company? An hour, if nobody panics.” [[Wenna]] did not look up. <<Wenna>>“Soldiers always panic. It is the
water.”

<<Pell>>“I don't panic.”

<<Wenna>>“You will, [[Pell]]. You weigh what a cow weighs, and cows do.”

[[Ilka]] smiled at that in spite of herself. Word had come from [[Castle Merrow]] that [[Duke Anselm]] would send two
hundred men of the [[Grey Lances]] before the moon was full. She no longer believed in the moon, or the duke.

<<Thorne>>“Cut the second rope,” she said. <<Thorne>>“If they want the [[Long Ferry]], let them swim for it.”
""",
        ("Sergeant Ilka Thorne", "Thorne", "Ilka"),
        ("Corporal Pell", "Pell"),
    ),
    held_passage(
        "A case for two",
        """
It was raining on [[Delancey Street]] when [[Frank Mossman]] came up the stairs without knocking. He owed me ninety
dollars and an apology.

<<Mossman>>"You look terrible, [[Vic]]," he said.

<<Vic>>"I look employed. What do you want?"

[[Mossman]] put an envelope on the desk. Inside was a photograph of a woman in a white coat standing on the steps of the
[[Harlan Institute]]. On the back somebody had written a name: [[Dr. Ruth Calloway]].

<<Mossman>>"She ran the sleep ward. Sunday she bought a ticket to [[Tucson]], and Monday her apartment was empty. Her
brother is paying. [[Teddy Calloway]]. You know him."

Everybody knew [[Teddy "Nickels" Calloway]]. He had run numbers for [[Big Anton]] before the war, and after the war he
had run [[Big Anton]].

<<Vic>>"Why me?" I asked.

<<Mossman>>"Because [[Nickels]] thinks you are honest." [[Frank]] laughed until he coughed. <<Mossman>>"I didn't correct
him."

I called the [[Institute]] at noon. A voice like a paper cut told me that [[Dr. Calloway]] was on leave.

<<the voice>>"And when does she return?" I heard myself being asked by nobody; the line was dead. I put my hat on.
""".replace(
            '<<the voice>>"And when does she return?" I heard myself being asked by nobody; the line was dead. ',
            "",
        ),
        ("Frank Mossman", "Mossman", "Frank"),
        ("Dr. Ruth Calloway", "Dr. Calloway"),
        ("Teddy Calloway", "Nickels"),
        ("Harlan Institute", "Institute"),
    ),
    held_passage(
        "A letter from the hill stations",
        """
My dear [[Honoria]],

You ask after [[Major Fitch]], and I can only say that he is much as he was, except for the leg. We dined on Thursday
with the [[Pemberton-Lyles]], who keep the big house above [[Simla]] and a parrot that swears in [[Portuguese]].

<<Mrs. Pemberton-Lyle>>“The bird was my husband's,” [[Mrs. Pemberton-Lyle]] explained to the table. <<Mrs.
Pemberton-Lyle>>“He had it of a sailor in [[Goa]].”

<<Major Fitch>>“A most accomplished sailor,” murmured the [[Major]].

[[Colonel Ames]] wished to know whether it would be shot, like a deserter. Young [[Mr. Sethi]], who had until then said
not a word, put down his fork.

<<Mr. Sethi>>“It deserts nobody, sir. It has been asking for the door since we sat down.”

I laughed out loud, and [[Lady Dunstan]] did not. You will remember that [[Augusta Dunstan]] never forgave a joke that
was not hers. On Saturday we ride to [[Jakko Hill]] with the [[Colonel]], if his mare allows it. She is called
[[Boadicea]] and is well named.

Your affectionate sister,
[[Philippa]]
""".replace("[[Portuguese]]", "Portuguese"),
        ("Major Fitch", "Major"),
        ("Colonel Ames", "Colonel"),
        ("Lady Dunstan", "Augusta Dunstan"),
    ),
    held_passage(
        "The watch below",
        """
<<Okonjo>>"Reactor's holding at sixty," [[Engineer Okonjo]] said over the wire. <<Okonjo>>"Don't ask me for seventy."

[[Captain Sorrel Vance]] asked her for seventy.

<<Okonjo>>"I'd need [[Dmitri]] sober and both coolant pumps. Choose one."

On the bridge of the [[Patient Griselda]], [[Lieutenant Huang]] kept his eyes on the plot. The thing that had followed
them from [[Port Cassini]] was four minutes behind and closing. He had named it [[Fido]]. Nobody had asked him to stop.

<<Vance>>"[[Mister Huang]], what does it want?"

<<Huang>>"Us, ma'am. Or the cargo. I'd say the cargo, but it keeps wagging."

[[Vance]] leaned back. The cargo was forty crates from the [[Orpheus Combine]] and one passenger, a [[Brother Tobit]],
who had paid in old coin and locked his door.

<<Vance>>"Get me the monk," she said.

He was there already, in the hatch, smaller than she remembered. <<Tobit>>"I am sorry," said [[Brother Tobit]].
<<Tobit>>"It is an angel. I ought to have mentioned it at [[Cassini]]."

For a while there was only the hum. <<Huang>>"I'm changing the name," [[Huang]] said at last.
""",
        ("Captain Sorrel Vance", "Vance"),
        ("Lieutenant Huang", "Mister Huang", "Huang"),
        ("Port Cassini", "Cassini"),
    ),
    held_passage(
        "The reeve's account",
        """
In the year that [[King Aldwin]] drowned, there lived at [[Thornby-under-Hill]] a reeve named [[Hob Carter]], whom his
neighbours called [[Hob the Short]], and who measured six feet and a hand. [[Hob]] feared three things: God, the bishop
of [[Elmstead]], and his wife [[Maud]].

One evening [[Maud]] came in from the byre with her sleeves rolled. <<Maud>>"There is a man in the hay," she told him.

<<Hob>>"What sort of man?"

<<Maud>>"A wet one."

[[Hob the Short]] took the lantern. In the hay lay a stranger with weed in his beard and a gold ring on his thumb,
and on the ring was the sea-horse of the [[House of Aldwin]].

<<the stranger>>"Is this [[Elmstead]]?" the stranger whispered.

<<Hob>>"It is [[Thornby]], my lord. [[Elmstead]] is two days' walk," said [[Hob]], and took off his hat, and put it on
again, for he did not know what is owed to a king who is dead.

<<Maud>>"Ask him does he want soup," called [[Maud]] from the door.
""",
        ("Hob Carter", "Hob the Short", "Hob"),
        ("Thornby-under-Hill", "Thornby"),
    ),
    held_passage(
        "Four at a table",
        """
Cards had been dealt twice, and nobody had looked at them. [[Isabeau]] kept hers face down under a saucer.

<<Lucan>>"Somebody at this table," began [[Lucan Ferro]], <<Lucan>>"has sold the [[Heron Gate]] to the [[Varossi]]."

<<Isabeau>>"Somebody always has," [[Isabeau]] replied.

Old [[Cassia Ferro]] tapped ash into her glass. She was [[Lucan]]'s aunt and had outlived three husbands and a republic.
<<Cassia>>"Let him finish, child."

<<Lucan>>"Thank you, [[Aunt Cassia]]. There were four keys. Mine is here. [[Isabeau]]'s is on her neck. [[Bastien]]'s?"

[[Bastien Oriel]] laid a key on the cloth without a word.

<<Isabeau>>"And the fourth?" [[Isabeau]] asked him, though she was looking at the old woman.

<<Cassia>>"I gave mine to a boy who sells oranges on the [[Ponte Corvo]]. In [[March]], I think. He had such honest
ears." [[Cassia]] drank the ash and all.

[[Bastien]] began to laugh, helplessly, with his head on his arms. <<Bastien>>"An orange boy," he said. <<Bastien>>"We
hanged six men."
""".replace("[[March]]", "March"),
        ("Lucan Ferro", "Lucan"),
        ("Cassia Ferro", "Cassia", "Aunt Cassia"),
        ("Bastien Oriel", "Bastien"),
    ),
)

SECOND_BLIND_PASSAGES = (
    held_passage(
        "The toll house",
        """
At the toll house on the [[Marsh Road]] the snow lay up to the sills. [[Widow Garrick]] had let the fire go down, and
her lodger, a schoolmaster by the name of [[Edmund Vail]], was burning his own chair.

<<Vail>>“It was the uncomfortable one,” [[Vail]] explained.

<<Garrick>>“They are all the uncomfortable one.” [[Mrs. Garrick]] pulled her shawl about her. <<Garrick>>“Is that a
bell?”

It was a bell. A sledge had stopped in the yard, and out of it climbed [[Dr. Amos Quill]] of [[Saltby]], followed by a
girl with a crow on her shoulder.

<<Quill>>“Good evening, [[Edmund]]. Madam. I am told you have a dying man.”

<<Garrick>>“We had,” said the widow.

[[Dr. Quill]] took off his gloves one finger at a time. The girl, whose name was [[Perpetua]], let the crow hop down
upon the table.

<<Perpetua>>“Who was he?” asked [[Perpetua]].

<<Vail>>“He called himself [[Captain Nemmery]]. He said that he had sailed with [[Red Jory]] and buried something at
[[Fort Ansley]]. Then he asked for an orange.”

<<Quill>>“[[Nemmery]],” the doctor repeated. He had gone a bad colour. <<Quill>>“[[Perpetua]], get back in the sledge.”

<<Perpetua>>“Why?”

<<Quill>>“Because I hanged [[Captain Nemmery]] in [[Saltby]], nine years ago, and [[Ansley]] burned the same night.”
""",
        ("Widow Garrick", "Mrs. Garrick"),
        ("Edmund Vail", "Vail", "Edmund"),
        ("Dr. Amos Quill", "Dr. Quill"),
        ("Captain Nemmery", "Nemmery"),
        ("Fort Ansley", "Ansley"),
    ),
    held_passage(
        "Under the dome",
        """
<<Ransome>>"You can't park here," said the steward whose badge read [[Ransome]].

<<Ottoline>>"I am not parked. I have crashed," [[Ottoline Baptiste-Kerr]] told him. Steam was coming out of the
[[Bluebird]] in three places.

[[Ransome]] consulted his slate. Nothing on it covered this. Above them the dome of [[New Lisbon]] was turning to its
evening colours, and in the crowd at the barrier somebody had started to sing.

<<Ottoline>>"Fetch me [[Chief Adeyemi]], would you? Tell her that [[Otto]] is back."

<<Ransome>>"The [[Chief]] is at supper, ma'am."

<<Ottoline>>"She will want to stop eating."

It took [[Folasade Adeyemi]] six minutes to cross the field. She was a broad woman in a broad hat. She looked at the
[[Bluebird]], then at her old pilot, and for a time she said nothing at all.

<<Adeyemi>>"They told me that you were dead," said [[Adeyemi]] at last. <<Adeyemi>>"The [[Meridian Company]] sent me
a wreath."

<<Ottoline>>"Did the [[Company]] send flowers or a bill?"

<<Adeyemi>>"Both." And then [[Adeyemi]] put her arms around her, hat and all.
""",
        ("Ottoline Baptiste-Kerr", "Otto"),
        ("Chief Adeyemi", "Folasade Adeyemi", "Adeyemi", "Chief"),
        ("Meridian Company", "Company"),
    ),
    held_passage(
        "What the harper saw",
        """
I have harped for four kings, and the worst of them was [[Brannoc]]. He was called [[Brannoc Halfhand]] after the
fight at [[Cold Weir]], where his brother [[Teague]] took two fingers from him and he took all the rest of [[Teague]].

That winter a woman walked into his hall with snow on her eyelashes.

<<Brannoc>>"Harper," the king said to me, <<Brannoc>>"ask her what she is selling."

<<Morwen>>"I am [[Morwen]], daughter of [[Teague]], lord," she answered before I could. <<Morwen>>"I am not selling.
I am collecting."

Old [[Fergal]], who kept the door, laughed, and then saw that nobody else did.

<<Brannoc>>"I have no niece," said [[Halfhand]].

<<Morwen>>"You have three. [[Una]] and [[Little Brid]] wait at the ford with the men of [[Lough Derrin]]."

<<Fergal>>"How many men?" [[Fergal]] asked her, not laughing now.

She smiled at him as one smiles at a dog that has done its best. <<Morwen>>"All of them," said [[Morwen]].

[[King Brannoc]] looked at his hand, what there was of it. <<Brannoc>>"Play something, harper," he said.
""",
        ("Brannoc", "Brannoc Halfhand", "Halfhand", "King Brannoc"),
    ),
    held_passage(
        "A quarrel about hens",
        """
[[Miss Letitia Plum]] and [[Miss Agatha Plum]] had not spoken since the affair of the hens. They lived on either side of
[[Church Lane]], and [[Mr. Dobbin]] the postman carried their letters across it, at the full rate.

<<Dobbin>>“Another for you, [[Miss Letitia]],” [[Mr. Dobbin]] would say, and wipe his feet.

<<Letitia>>“Put it on the fire, [[Dobbin]].”

<<Dobbin>>“It's marked urgent, miss.”

[[Letitia Plum]] adjusted her spectacles. It was marked urgent in green ink, and underlined. <<Letitia>>“She is out
of the black,” she observed. <<Letitia>>“She has been writing to [[Cousin Horace]].”

Over the way a curtain moved. Everybody in [[Nether Wallop]] knew that [[Horace Plum]] had no money and a good heart,
and that both sisters meant to have him to Christmas dinner.

<<Agatha>>“Is she reading it?” hissed [[Agatha]], who had crept out to the gate.

<<Dobbin>>“She's holding it, [[Miss Agatha]],” the postman called back.
""",
        ("Miss Letitia Plum", "Miss Letitia", "Letitia Plum"),
        ("Miss Agatha Plum", "Agatha", "Miss Agatha"),
        ("Mr. Dobbin", "Dobbin"),
        ("Cousin Horace", "Horace Plum"),
    ),
)
