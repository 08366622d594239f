"""What our mails say in their own words, in both languages. Games bring their own."""

from engine.game import Language

CUT_MARK = "[ogham]"

PHRASES: dict[str, dict[Language, str]] = {
    "cut": {
        "en": f"--- {CUT_MARK} write your answer above this line ---",
        "de": f"--- {CUT_MARK} Antwort bitte über diese Zeile schreiben ---",
    },
    "hello": {"en": "Hello{name},", "de": "Hallo{name},"},
    "welcome.subject": {
        "en": "Welcome to Ogham: is this your address?",
        "de": "Willkommen bei Ogham: ist das deine Adresse?",
    },
    "welcome.lead": {
        "en": "Somebody, we hope you, registered this address with Ogham, which runs slow board games by mail.",
        "de": "jemand, hoffentlich du, hat diese Adresse bei Ogham angemeldet, wo man gemächliche Brettspiele per Mail spielt.",
    },
    "welcome.how": {
        "en": "Yes, that was me: answer this mail with the word\n\n    yes\n\nor hand this code to your client:\n\n    {code}\n\nNo, it wasn't: do nothing, and nothing happens.",
        "de": "Ja, das war ich: beantworte diese Mail mit dem Wort\n\n    ja\n\noder gib diesen Code deinem Programm:\n\n    {code}\n\nNein: tu nichts, dann geschieht auch nichts.",
    },
    "welcome.tap": {"en": "yes", "de": "ja"},
    "invitation.tap": {"en": "join", "de": "mitspielen"},
    "invitation.subject": {
        "en": "{by} invites you to a match of {title}",
        "de": "{by} lädt dich zu einer Partie {title} ein",
    },
    "invitation.lead": {
        "en": "{by} invites you to a match of {title} for {seats} players. It is played by mail, a move whenever you find the time.",
        "de": "{by} lädt dich zu einer Partie {title} zu {seats} Spielern ein. Gespielt wird per Mail, ein Zug, wann immer du Zeit hast.",
    },
    "invitation.how": {
        "en": "To join, answer this mail with the word\n\n    join\n\nand, if you like, some words of your own behind it: they are mixed into\nthe shuffle, so that nobody can choose the tiles or cards without you.\nTo say no, answer with “decline”, or do nothing.",
        "de": "Um mitzuspielen, antworte mit dem Wort\n\n    mitspielen\n\nund, wenn du magst, ein paar eigenen Worten dahinter: Sie gehen in die\nMischung ein, damit ohne dich niemand bestimmen kann, was kommt.\nUm abzulehnen, antworte mit „ablehnen“, oder tu nichts.",
    },
    "nonce.subject": {
        "en": "The table is full, open your share of the shuffle: {title}",
        "de": "Der Tisch ist voll, öffne deinen Teil der Mischung: {title}",
    },
    "nonce.lead": {
        "en": "All seats of this match of {title} are taken. You joined with the hash of your share of the shuffle (the nonce); it is dealt when everybody has opened theirs.",
        "de": "alle Plätze dieser Partie {title} sind besetzt. Du bist mit dem Hash deines Teils der Mischung (der Nonce) beigetreten; gegeben wird, wenn alle ihren geöffnet haben.",
    },
    "nonce.how": {
        "en": "Your program opens it for you, for instance with\n\n    ogham unseal {match}\n\nOr answer this mail with the nonce itself, on a line of its own.",
        "de": "Dein Programm öffnet ihn für dich, zum Beispiel mit\n\n    ogham unseal {match}\n\nOder antworte mit der Nonce selbst, in einer eigenen Zeile.",
    },
    "answer.nonce_opened": {
        "en": "Your share of the shuffle is open. The match begins when everybody's is.",
        "de": "dein Teil der Mischung ist offen. Die Partie beginnt, sobald es alle sind.",
    },
    "answer.nonce_wrong": {
        "en": "None of the lines of your mail is the nonce you promised when you joined. Please send exactly that one.",
        "de": "keine Zeile deiner Mail ist die Nonce, die du beim Beitreten versprochen hast. Bitte schick genau diese.",
    },
    "started.subject": {"en": "The match begins: {title}", "de": "Die Partie beginnt: {title}"},
    "started.lead": {
        "en": "The table is full, and this match of {title} has begun. {who} is to act; you will get a mail when it is your turn.",
        "de": "der Tisch ist voll, und diese Partie {title} hat begonnen. {who} ist am Zug; du bekommst eine Mail, wenn du an der Reihe bist.",
    },
    "started.seat": {"en": "Seat {seat}: {name}", "de": "Platz {seat}: {name}"},
    "turn.subject": {"en": "It is your turn: {title}", "de": "Du bist am Zug: {title}"},
    "turn.lead": {"en": "It is your turn in this match of {title}.", "de": "du bist am Zug in dieser Partie {title}."},
    "asked.subject": {"en": "You are asked: {title}", "de": "Du wirst gefragt: {title}"},
    "asked.lead": {
        "en": "It is {name}'s turn in this match of {title}, and you are asked for an answer.",
        "de": "{name} ist am Zug in dieser Partie {title}, und du wirst um eine Antwort gebeten.",
    },
    "answer.subject": {"en": "About your move: {title}", "de": "Zu deinem Zug: {title}"},
    "answer.played": {"en": "Your move was played: {moves}", "de": "dein Zug wurde gespielt: {moves}"},
    "answer.refused": {
        "en": "“{line}” could not be played. {detail}",
        "de": "„{line}“ konnte nicht gespielt werden. {detail}",
    },
    "answer.unreadable": {
        "en": "“{line}” could not be played: it isn't a move we can read.",
        "de": "„{line}“ konnte nicht gespielt werden: Das lesen wir nicht als Zug.",
    },
    "answer.ambiguous": {
        "en": "“{line}” could not be played: it may mean {choices}.",
        "de": "„{line}“ konnte nicht gespielt werden: Es kann {choices} heißen.",
    },
    "answer.rule": {"en": "(Rule {rule})", "de": "(Regel {rule})"},
    "answer.dropped": {"en": "What came after it was left out: {lines}", "de": "Was danach kam, blieb liegen: {lines}"},
    "answer.kept": {
        "en": "The rest is kept, and played when the others have answered: {lines}",
        "de": "Der Rest wartet, bis die anderen geantwortet haben, und wird dann gespielt: {lines}",
    },
    "answer.order_refused": {
        "en": "Your order was not taken, and nothing was played: “{line}”\n{detail}",
        "de": "dein Auftrag wurde nicht angenommen, und gespielt wurde nichts: „{line}“\n{detail}",
    },
    "orders.noted": {"en": "Noted as number {number}: {line}", "de": "Vermerkt als Nummer {number}: {line}"},
    "orders.standing": {"en": "Your standing orders: {orders}", "de": "Deine Aufträge: {orders}"},
    "orders.nothing": {"en": "You have no standing orders.", "de": "Du hast keine Aufträge."},
    "orders.none": {"en": "This game takes no orders.", "de": "In diesem Spiel gibt es keine Aufträge."},
    "orders.word": {"en": "  order ", "de": "  Auftrag "},
    "orders.how": {
        "en": "You needn't be asked each time. Leave an order, which nobody else sees:",
        "de": "Du musst nicht jedes Mal gefragt werden. Gib einen Auftrag, den sonst\nniemand sieht:",
    },
    "orders.more": {
        "en": "  order ask me  to be asked after all\n  order withdraw all  to take your orders back\n\nBehind it you may say how long it stands, and when it answers (else at\nonce): once, for the next time only; at 18:00 Europe/Berlin.",
        "de": "  Auftrag frag mich  um doch gefragt zu werden\n  Auftrag widerrufe alle  um deine Aufträge zurückzunehmen\n\nDahinter kann stehen, wie lange er gilt und wann er antwortet (sonst\nsofort): einmal, nur beim nächsten Mal; um 18:00 Europe/Berlin.",
    },
    "answer.stale": {
        "en": "Your mail came too late: the game has moved on since the position it answers.",
        "de": "deine Mail kam zu spät: Das Spiel ist seit der Stellung, auf die sie antwortet, weitergegangen.",
    },
    "answer.nothing": {
        "en": "We found no move in your mail, so nothing was played. The word “help” alone gets you all that can be said.",
        "de": "wir haben in deiner Mail keinen Zug gefunden, also wurde nichts gespielt. Das Wort „Hilfe“ allein bringt dir alles, was man sagen kann.",
    },
    "answer.unclear": {
        "en": "We could not tell which lines of your mail are moves, so nothing was played. We stumbled over: “{line}”\nPlease write the moves one below the other, each on a line of its own, and anything else apart from them.",
        "de": "wir konnten nicht erkennen, welche Zeilen deiner Mail Züge sind, also wurde nichts gespielt. Gestolpert sind wir über: „{line}“\nBitte schreib die Züge untereinander, jeden in eine eigene Zeile, und alles andere mit Abstand davon.",
    },
    "answer.below": {
        "en": "What stands below a quotation or below the line “{cut}” isn't read. Please write above it, or delete it.",
        "de": "Was unter einem Zitat oder unter der Zeile „{cut}“ steht, wird nicht gelesen. Bitte schreib darüber, oder lösche sie.",
    },
    "answer.not_joined": {
        "en": "Your mail didn't begin with the word “join”, so no seat was taken. You may answer the invitation again; to say no, answer with “decline”, or do nothing.",
        "de": "deine Mail begann nicht mit dem Wort „mitspielen“, also bist du nicht dabei. Du kannst die Einladung noch einmal beantworten; um abzulehnen, antworte mit „ablehnen“, oder tu nichts.",
    },
    "answer.unconfirmed": {
        "en": "Your mail didn't begin with the word “yes”, so nobody was registered. If somebody else used your address, do nothing, and nothing happens.",
        "de": "deine Mail begann nicht mit dem Wort „ja“, also wurde niemand angemeldet. Wenn jemand anders deine Adresse benutzt hat, tu nichts, dann geschieht auch nichts.",
    },
    "answer.table_full": {
        "en": "The table is full already; maybe next time.",
        "de": "der Tisch ist schon voll; vielleicht beim nächsten Mal.",
    },
    "answer.joined": {
        "en": "You are in, on seat {seat}. The match starts when the table is full.",
        "de": "du bist dabei, auf Platz {seat}. Die Partie beginnt, sobald der Tisch voll ist.",
    },
    "answer.confirmed": {
        "en": "This address is yours now, and you are a player.",
        "de": "diese Adresse ist jetzt deine, und du bist dabei.",
    },
    "answer.registration_expired": {
        "en": "Your answer came after more than three days. Please register again.",
        "de": "deine Antwort kam nach mehr als drei Tagen. Bitte melde dich noch einmal an.",
    },
    "answer.key_known": {
        "en": "The key you registered with belongs to a player already, or was revoked. Please register with a new one.",
        "de": "der Schlüssel deiner Anmeldung gehört schon jemandem oder wurde widerrufen. Bitte nimm einen neuen.",
    },
    # What commands are answered with. No line of these is itself a command: behind the word stands what it is for.
    "command.help": {
        "en": "Here is all that you may say, each on a line of its own, above the line at the top.",
        "de": "hier steht alles, was du sagen kannst, jedes in einer eigenen Zeile, über der Zeile ganz oben.",
    },
    "help.signed": {
        "en": "  eyJhbGciOi...  a move, order or resignation, signed with your key",
        "de": "  eyJhbGciOi...  Zug, Auftrag oder Aufgeben, von dir signiert",
    },
    "help.resign": {
        "en": "  resign  leave the match for good; we ask back first",
        "de": "  aufgeben  die Partie endgültig verlassen; wir fragen vorher nach",
    },
    "help.orders": {
        "en": "  orders  which orders of yours stand; with words behind it, one more",
        "de": "  Auftrag  welche von dir gelten; mit Worten dahinter noch einer",
    },
    "help.show": {
        "en": "  show  the position as it is now (or the word position)",
        "de": "  zeigen  die Stellung, wie sie jetzt ist (oder das Wort Stellung)",
    },
    "help.say": {
        "en": "  say: ...  your words go to the others, up to an empty line",
        "de": "  sage: ...  deine Worte gehen an die anderen, bis zur leeren Zeile",
    },
    "help.history": {
        "en": "  history  what happened so far, in words",
        "de": "  Verlauf  was bisher geschah, in Worten",
    },
    "help.vacation": {  # the days are left out: a line of it that a client broke must be no command
        "en": "  vacation until DAY  no clock of yours runs from now on until then; or\n      “vacation from DAY until DAY”. A day is written 2027-07-31.\n  vacation over  end it early, and keep the days that are left",
        "de": "  Urlaub bis TAG  bis dahin läuft ab jetzt keine Uhr für dich; oder\n      „Urlaub vom TAG bis TAG“. Ein Tag wird 31.7.2027 geschrieben.\n  Urlaub vorbei  beende ihn früher, und behalte die übrigen Tage",
    },
    "help.digest": {
        "en": "  digest on  one mail a day instead of each at once; or “digest off”",
        "de": "  Sammelmail an  eine Mail am Tag statt jeder sofort; oder: aus",
    },
    "help.set": {
        "en": "  set NAME VALUE  change a preference; the word set alone shows them all",
        "de": "  setze NAME WERT  eine Einstellung ändern; setze allein zeigt alle",
    },
    "help.help": {"en": "  help  this list", "de": "  Hilfe  diese Liste"},
    "command.position": {"en": "This is how the match stands.", "de": "so steht die Partie."},
    "command.history": {"en": "What happened so far:", "de": "was bisher geschah:"},
    "command.history.end": {
        "en": "What happened last ({count} sentences of more):",
        "de": "was zuletzt geschah ({count} Sätze von mehr):",
    },
    "command.changed": {"en": "Noted: {changes}", "de": "vermerkt: {changes}"},
    "command.unchanged": {"en": "These are your preferences.", "de": "das sind deine Einstellungen."},
    "command.preferences.how": {
        "en": "To change one, write “set”, its name, and a value; “default” puts it\nback. What they are now:",
        "de": "Um eine zu ändern, schreib „setze“, ihren Namen und einen Wert; mit\n„standard“ wird sie, wie sie war. Was sie jetzt sind:",
    },
    "command.refused": {
        "en": "Nothing of your mail was done. We could not do this: “{line}”\n{detail}",
        "de": "von deiner Mail wurde nichts ausgeführt. Das ging nicht: „{line}“\n{detail}",
    },
    "command.vacation": {
        "en": "You are on vacation from {first} to {last}, both days included. No clock of yours runs meanwhile, and your tables are told. You may move all the same.",
        "de": "du hast Urlaub vom {first} bis zum {last}, beide Tage eingeschlossen. Solange läuft keine deiner Uhren, und deine Tische erfahren es. Ziehen darfst du trotzdem.",
    },
    "command.vacation_over": {
        "en": "Your vacation is over: your clocks run again, and your tables are told.",
        "de": "dein Urlaub ist vorbei: Deine Uhren laufen wieder, und deine Tische erfahren es.",
    },
    "command.vacation.left": {
        "en": "Days of vacation left in {year}: {days}",
        "de": "Urlaubstage, die dir {year} noch bleiben: {days}",
    },
    "command.said": {
        "en": "Your words were passed on to the others at the table.",
        "de": "deine Worte gingen an die anderen am Tisch.",
    },
    "command.resign": {
        "en": "Do you want to leave this match for good? Nothing has happened yet.",
        "de": "möchtest du diese Partie endgültig verlassen? Noch ist nichts geschehen.",
    },
    "command.resign.how": {
        "en": "  resign  as the answer to this mail, to leave for good\n\nTo stay, do nothing, or answer with a move if it is your turn.",
        "de": "  aufgeben  als Antwort auf diese Mail, um endgültig zu gehen\n\nUm zu bleiben, tu nichts, oder antworte mit einem Zug, wenn du dran\nbist.",
    },
    "command.resigned": {
        "en": "You left the match. It goes on without you, and your seat is played dully.",
        "de": "du hast die Partie verlassen. Sie geht ohne dich weiter; dein Platz wird von selbst gespielt.",
    },
    "command.held": {
        "en": "A mail in your name came, but without the signature of your mail domain (DKIM) that your mails had before. So nothing of it was done yet. Was it yours?",
        "de": "es kam eine Mail in deinem Namen, aber ohne die Signatur deiner Mail-Domain (DKIM), die deine Mails bisher hatten. Darum wurde noch nichts davon ausgeführt. War sie von dir?",
    },
    "command.held.how": {
        "en": "  yes  it was mine: do what it says\n\nNo: do nothing, and nothing happens.",
        "de": "  ja  sie war von mir: führt sie aus\n\nNein: tu nichts, dann geschieht auch nichts.",
    },
    "command.unsigned": {
        "en": "A mail in your name came, but without the signature of your mail domain (DKIM), which you demand. So nothing of it was done. If it was yours, send it again by a server of your domain.",
        "de": "es kam eine Mail in deinem Namen, aber ohne die Signatur deiner Mail-Domain (DKIM), die du verlangst. Darum wurde nichts davon ausgeführt. Wenn sie von dir war, schick sie noch einmal, über einen Server deiner Domain.",
    },
    "answer.declined": {
        "en": "You declined, and who invited you is told. Should you change your mind, answer the invitation with “join”.",
        "de": "du hast abgelehnt, und wer dich eingeladen hat, erfährt es. Wenn du es dir anders überlegst, antworte auf die Einladung mit „mitspielen“.",
    },
    "answer.already_seated": {
        "en": "You sit at this table already. To leave it, answer a mail of that match with “resign”.",
        "de": "du sitzt schon an diesem Tisch. Um zu gehen, antworte auf eine Mail dieser Partie mit „aufgeben“.",
    },
    "declined.subject": {"en": "An invitation was declined: {title}", "de": "Eine Einladung wurde abgelehnt: {title}"},
    "declined.lead": {
        "en": "{who} won't play in your match of {title}. The seat is free for somebody else.",
        "de": "{who} spielt in deiner Partie {title} nicht mit. Der Platz ist frei für jemand anderen.",
    },
    "message.subject": {"en": "{name} writes to you: {title}", "de": "{name} schreibt dir: {title}"},
    "message.lead": {
        "en": "{name} says to the table, in this match of {title}:",
        "de": "{name} sagt der Runde in dieser Partie {title}:",
    },
    "message.how": {
        "en": "  say: ...  your words go to the others, up to an empty line\n\nA move may stand beside it, if it is your turn.",
        "de": "  sage: ...  deine Worte gehen an die anderen, bis zur leeren Zeile\n\nEin Zug kann daneben stehen, wenn du an der Reihe bist.",
    },
    "finished.subject": {"en": "The match is over: {title}", "de": "Die Partie ist zu Ende: {title}"},
    "finished.lead": {
        "en": "This match of {title} is over. {place}",
        "de": "diese Partie {title} ist zu Ende. {place}",
    },
    "finished.first": {"en": "You won!", "de": "Du hast gewonnen!"},
    "finished.shared": {"en": "You share the first place!", "de": "Du teilst dir den ersten Platz!"},
    "finished.place": {"en": "Your place: {place}.", "de": "Dein Platz: {place}."},
    "finished.seat": {"en": "{place}. {name}, {total} points", "de": "{place}. {name}, {total} Punkte"},
    "finished.check": {
        "en": "Everything that was hidden is open now, and anyone can check that nothing was changed or chosen:\n\n    ogham transcript {match} > match\n    ogham verify match\n\nThe transcript is at\n{url}/v1/matches/{match}/transcript",
        "de": "Alles, was verdeckt war, liegt jetzt offen, und jeder kann prüfen, dass nichts geändert oder ausgesucht wurde:\n\n    ogham transcript {match} > partie\n    ogham verify partie\n\nDas Protokoll steht unter\n{url}/v1/matches/{match}/transcript",
    },
    "check": {"en": "How to check it", "de": "So lässt es sich prüfen"},
    "hand.hidden": {
        "en": "As you wished, this mail shows nothing that only you may see, and so not what you\nmay play. Look at your hand with your client (ogham show), or change that with\nthe preference hand_in_mails. Your move can be answered as always.",
        "de": "Wie gewünscht zeigt diese Mail nichts, was nur du sehen darfst, also auch nicht,\nwas du spielen kannst. Sieh deine Hand mit deinem Programm an (ogham show), oder\nändere das mit der Einstellung hand_in_mails. Antworten kannst du wie immer.",
    },
    "digest.subject": {"en": "Your digest from Ogham: {count}", "de": "Deine Sammelmail von Ogham: {count}"},
    "digest.lead": {
        "en": "Here is what there was to tell since the last time. Each part has an address of its own to answer to; an answer to this mail itself plays nothing.",
        "de": "hier ist, was es seit dem letzten Mal zu erzählen gab. Jeder Teil hat seine eigene Adresse für Antworten; eine Antwort auf diese Mail selbst spielt nichts.",
    },
    "answer_to": {"en": "Answer to:\n{address}", "de": "Antwort an:\n{address}"},
    "taps": {"en": "Answer with one tap", "de": "Mit einem Tippen antworten"},
    "ledger": {
        "en": "What became of our other mails to you",
        "de": "Was aus unseren anderen Mails an dich wurde",
    },
    "kind.welcome": {"en": "welcome", "de": "Willkommen"},
    "kind.invitation": {"en": "invitation", "de": "Einladung"},
    "kind.declined": {"en": "refusal", "de": "Absage"},
    "kind.nonce": {"en": "share of the shuffle", "de": "Teil der Mischung"},
    "kind.started": {"en": "beginning", "de": "Beginn"},
    "kind.turn": {"en": "turn", "de": "Zug"},
    "kind.answer": {"en": "answer", "de": "Antwort"},
    "kind.message": {"en": "message", "de": "Nachricht"},
    "kind.finished": {"en": "end", "de": "Ende"},
    "kind.reminder": {"en": "reminder", "de": "Erinnerung"},
    "kind.timed_out": {"en": "time up", "de": "Zeit um"},
    "kind.clock": {"en": "clock", "de": "Uhr"},
    "kind.digest": {"en": "digest", "de": "Sammelmail"},
    "step.deferred": {"en": "not taken yet, tried again", "de": "noch nicht angenommen, wird wieder versucht"},
    "step.accepted": {"en": "sent", "de": "gesendet"},
    "step.refused": {"en": "refused by the mail server", "de": "vom Mailserver abgelehnt"},
    "step.given_up": {"en": "given up", "de": "aufgegeben"},
    "step.gathered": {"en": "kept for the digest", "de": "für die Sammelmail aufgehoben"},
    "step.digested": {"en": "sent in the digest", "de": "in der Sammelmail gesendet"},
    "step.outdated": {"en": "no longer needed", "de": "nicht mehr nötig"},
    "step.off": {"en": "not sent, as you wished", "de": "nicht gesendet, wie gewünscht"},
    "step.capped": {"en": "kept, too many for one day", "de": "aufgehoben, zu viele für einen Tag"},
    "step.suppressed": {"en": "not sent, mails came back", "de": "nicht gesendet, Mails kamen zurück"},
    "step.delayed": {"en": "delayed on its way", "de": "unterwegs verzögert"},
    "step.bounced": {"en": "came back", "de": "kam zurück"},
    "unreachable": {
        "en": "Our mails to {names} come back. If you can, say so to them.",
        "de": "Unsere Mails an {names} kommen zurück. Sag es ihnen, wenn du kannst.",
    },
    "fewer": {  # short enough for one line: broken, its second half could be taken for a command
        "en": 'Fewer such mails: answer "set mail_{kind} digest" (or off).',
        "de": 'Weniger davon: antworte "setze mail_{kind} digest" (oder off).',
    },
    "leave": {"en": "No more mails like this", "de": "Keine solchen Mails mehr"},
    "reminder.subject": {"en": "Your time runs: {title}", "de": "Deine Zeit läuft: {title}"},
    "reminder.lead": {
        "en": "A reminder: it is still your turn in this match of {title}.",
        "de": "zur Erinnerung: du bist noch am Zug in dieser Partie {title}.",
    },
    "timed_out.subject": {"en": "Your time was up: {title}", "de": "Deine Zeit war um: {title}"},
    "timed_out.away": {
        "en": "Your time was up in this match of {title}, so something was played for you, and will be, within the hour, whenever you are asked. You won't be written to each time. To take your seat back, answer this mail: with a move if you are asked, else with the word “back”.",
        "de": "deine Zeit war um in dieser Partie {title}. Es wurde etwas für dich gespielt, und so geht es weiter, jeweils binnen einer Stunde, ohne dass wir dir jedes Mal schreiben. Um wieder mitzuspielen, antworte auf diese Mail: mit einem Zug, wenn du gefragt bist, sonst mit dem Wort „zurück“.",
    },
    "timed_out.forfeited": {
        "en": "Your time was up once too often in this match of {title}, and your seat has forfeited, as was agreed when the match was opened.",
        "de": "deine Zeit war einmal zu oft um in dieser Partie {title}, und dein Platz hat aufgegeben, wie bei der Eröffnung vereinbart.",
    },
    "clock.subject": {"en": "About the clock: {title}", "de": "Zur Uhr: {title}"},
    "clock.until": {
        "en": "You have time until {day} {when} ({zone}).",
        "de": "Du hast Zeit bis {day} {when} ({zone}).",
    },
    "clock.days": {"en": "Mon Tue Wed Thu Fri Sat Sun", "de": "Mo Di Mi Do Fr Sa So"},
    "clock.timed_out": {
        "en": "{name} ran out of time in this match of {title}; something was played for them.",
        "de": "{name} hat in dieser Partie {title} die Zeit überschritten; es wurde etwas an ihrer Stelle gespielt.",
    },
    "clock.forfeited": {
        "en": "{name} ran out of time once too often in this match of {title}, and has forfeited.",
        "de": "{name} hat in dieser Partie {title} die Zeit einmal zu oft überschritten und damit aufgegeben.",
    },
    "clock.returned": {
        "en": "{name} is back in this match of {title}.",
        "de": "{name} ist zurück in dieser Partie {title}.",
    },
    "clock.vacation": {
        "en": "{name} is on vacation from {first} to {last}. In this match of {title} their clock stands meanwhile.",
        "de": "{name} macht Urlaub vom {first} bis zum {last}. In dieser Partie {title} steht ihre Uhr solange.",
    },
    "clock.vacation_ended": {
        "en": "{name} is back from vacation in this match of {title}.",
        "de": "{name} ist aus dem Urlaub zurück in dieser Partie {title}.",
    },
    "clock.pause_wanted": {
        "en": "{name} would like to pause this match of {title}. The clocks stop when everybody agrees.",
        "de": "{name} möchte diese Partie {title} unterbrechen. Die Uhren stehen, sobald alle einverstanden sind.",
    },
    "clock.paused": {
        "en": "This match of {title} is paused: no clock runs until somebody goes on. Who likes may move meanwhile.",
        "de": "diese Partie {title} ruht: Keine Uhr läuft, bis jemand weitermacht. Wer mag, darf trotzdem ziehen.",
    },
    "clock.resumed": {
        "en": "{name} goes on with this match of {title}: the clocks run again.",
        "de": "{name} macht weiter in dieser Partie {title}: Die Uhren laufen wieder.",
    },
    "feed.summary": {"en": "Your time is up: {title}", "de": "Deine Zeit ist um: {title}"},
    "answer.asks_not_met": {
        "en": "This match asks for more moves, finished matches or punctuality than you have to show so far; no seat was taken.",
        "de": "diese Partie verlangt mehr Züge, beendete Partien oder Pünktlichkeit, als du bisher vorweisen kannst; du bist nicht dabei.",
    },
    "since": {"en": "Since your last turn", "de": "Seit deinem letzten Zug"},
    "how": {"en": "What you may answer", "de": "Was du antworten kannst"},
    "position": {"en": "The position", "de": "Die Stellung"},
    "board": {"en": "the board", "de": "das Spielbrett"},
    "openings": {
        "en": "Seals of what you were shown: number, salt, value",
        "de": "Siegel dessen, was du gesehen hast: Nummer, Salz, Wert",
    },
    "receipt": {
        "en": "Our receipt for the log up to here",
        "de": "Unsere Quittung über das Protokoll bis hierher",
    },
    "footer": {
        "en": "Match {match}, {url}",
        "de": "Partie {match}, {url}",
    },
}


def say(phrase: str, language: Language, **facts: object) -> str:
    return PHRASES[phrase][language].format(**facts)
