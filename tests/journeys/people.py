"""The people of a journey: one signs moves over the API, others answer mails, each in the style of another client."""

import html
import re
from abc import ABC, abstractmethod
from email import policy
from email.message import EmailMessage
from email.utils import make_msgid

from client.api import Ogham
from client.keys import Identity
from tests.journeys.houses import House, post, until


def token_of(letter: EmailMessage) -> str:
    return str(letter["Reply-To"].addresses[0].username).partition("+")[2]


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def html_of(letter: EmailMessage) -> str:
    part = letter.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def register(house: House, name: str, language: str = "en") -> Ogham:
    """A player with a key, whose address was proven by answering the mail to it."""
    client = Ogham(house.url, Identity.generate())
    address = f"{name.lower()}@example.org"
    client.register(name, address, language)
    until(lambda: house.letters(address), f"the welcome to {name}")
    Mailer(house, address).answer(house.letters(address)[0], "yes")
    until(lambda: len(house.letters(address)) > 1, f"the answer to {name}")
    return client


class Writer(ABC):
    """Somebody who plays by answering mails: always to the newest one, and once to each."""

    def __init__(self, house: House, address: str) -> None:
        self.house = house
        self.address = address
        self.answered: set[str] = set()

    def newest(self) -> EmailMessage | None:
        letters = self.house.letters(self.address)
        return letters[-1] if letters and str(letters[-1]["Message-ID"]) not in self.answered else None

    def answer(self, letter: EmailMessage, line: str) -> None:
        self.answered.add(str(letter["Message-ID"]))
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"] = self.address
        mail["To"] = str(letter["Reply-To"])
        mail["Subject"] = f"Re: {letter['Subject']}"
        mail["Message-ID"] = make_msgid(domain="example.org")
        mail["In-Reply-To"] = str(letter["Message-ID"])
        self.write(mail, letter, line)
        post(self.house, mail)

    def play(self) -> bool:
        """Answer the newest mail that asks for a move, among those we haven't seen. (Mails may overtake each other.)"""
        unseen = [one for one in self.house.letters(self.address) if str(one["Message-ID"]) not in self.answered]
        self.answered |= {str(letter["Message-ID"]) for letter in unseen}
        for letter in reversed(unseen):
            line = self.choose(text_of(letter))
            if line:
                self.answer(letter, line)
                return True
        return False

    def choose(self, text: str) -> str:
        """A move that the mail offers: a reveal as a rule, every third time an open tile; nothing if it offers none."""
        takes = re.findall(r"^ +(take \w+ \d+)", text, flags=re.MULTILINE)
        if takes and len(self.answered) % 3 == 0:
            return takes[0]
        if re.search(r"^ +reveal\b", text, flags=re.MULTILINE):
            return "reveal, lay else leave"
        if re.search(r"^ +stop\b", text, flags=re.MULTILINE):
            return takes[0] if takes else "stop"
        return ""

    @abstractmethod
    def write(self, mail: EmailMessage, letter: EmailMessage, line: str) -> None:
        """The body, as this one's mail client writes it."""


class Mailer(Writer):
    """Plain text, the answer on top, the mail it answers quoted below."""

    def write(self, mail: EmailMessage, letter: EmailMessage, line: str) -> None:
        quoted = "\n".join(f"> {old}" for old in text_of(letter).splitlines())
        mail.set_content(f"{line}\n\nOn {letter['Date']}, Ogham <play@ogham.test> wrote:\n\n{quoted}\n")


class HtmlMailer(Writer):
    """HTML only: the whole mail quoted below or, every other time, a few words of it quoted above."""

    def write(self, mail: EmailMessage, letter: EmailMessage, line: str) -> None:
        own = f'<div style="font-family:Calibri">{html.escape(line)}</div>'
        if len(self.answered) % 2:
            body = f"{own}<br><div>On {letter['Date']} Ogham wrote:</div><blockquote>{html_of(letter)}</blockquote>"
        else:
            body = f"<blockquote><p>it is your turn</p></blockquote>{own}<p>&nbsp;</p><p>-- <br>Cleo</p>"
        mail.set_content(f"<html><body>{body}</body></html>", subtype="html")
