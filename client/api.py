"""The API as an object: each method is one thing that a player can do.

    me = Ogham("http://127.0.0.1:8000", Identity.load(path))
    match = me.open("some-game", seats=2)
    me.join(match["id"])
    me.submit(match["id"], ["some move"])

What is said over the wire is what openapi.yaml offers, and nothing else.
"""

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, cast
from urllib.parse import quote

import httpx

from client.answers import (
    Clock,
    Entry,
    Game,
    Key,
    Legal,
    Match,
    Message,
    Notices,
    Order,
    Orders,
    Player,
    Registration,
    State,
    Submission,
    Vacations,
)
from client.chain import check_log
from client.errors import Garbled, NotSeated, Problem, Unreachable
from client.keys import Identity
from engine.errors import BrokenLog
from engine.log import promise

LONGEST_WAIT = 10  # what the service grants to Prefer: wait
TIMEOUT = 10.0
_PASSING = (502, 503, 504)
# However a shell's proxy is set, this machine is reached directly.
_DIRECT: dict[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}


class Ogham:
    """One player at one service; without an identity, somebody who watches.

    `base_url` is the service's public URL, which it demands to be named in what is signed for it. Every method raises
    Problem when the service says no, and Unreachable when it says nothing.
    """

    def __init__(
        self,
        base_url: str,
        identity: Identity | None = None,
        transport: httpx.BaseTransport | None = None,
        patience: float = 20.0,
    ) -> None:
        """`patience`: for how many seconds what may be sent twice is sent again when no answer comes."""
        self.base_url = base_url.rstrip("/")
        self.identity = identity
        self._patience = patience
        self._token: str | None = None
        with _named_faults(self.base_url):
            self._http = httpx.Client(base_url=self.base_url, transport=transport, mounts=_DIRECT, timeout=TIMEOUT)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- who plays

    def register(self, name: str, address: str, language: str = "en") -> Registration:
        """Ask to become a player with this key. A mail with a code goes to the address."""
        signer = self._signer()
        address = address.strip().lower()
        proof = signer.sign("ogham-register+jws", {"name": name, "address": address})
        body = {"name": name, "address": address, "language": language, "key": signer.public, "proof": proof}
        return cast(Registration, self._post("/v1/registrations", body))

    def confirm(self, registration_id: str, code: str) -> Player:
        """Show the code from the mail."""
        return cast(Player, self._post(_at("registrations", registration_id, "confirmation"), {"code": code}))

    def me(self) -> Player:
        return cast(Player, self._get("/v1/players/me"))

    def preferences(self, **changes: Any) -> dict[str, Any]:
        """What one chose for oneself; after these changes, if any. None puts a preference back to its default."""
        path = "/v1/players/me/preferences"
        if not changes:
            return cast(dict[str, Any], self._get(path)["preferences"])
        answer = self._request("PATCH", path, as_player=True, json={"preferences": changes})
        return cast(dict[str, Any], _body(answer)["preferences"])

    def notices(self, after: str | None = None) -> Notices:
        """The mails to oneself and what became of each, the newest first; from one on, if told."""
        return cast(Notices, self._get("/v1/players/me/notices", None if after is None else {"after": after}))

    def resume_mails(self) -> None:
        """Mails to one's address came back, and none are sent any more: ask for them again."""
        self._request("DELETE", "/v1/players/me/suppression", as_player=True)

    def keys(self) -> list[Key]:
        """One's keys, the oldest first, revoked ones included."""
        return cast(list[Key], self._get("/v1/players/me/keys")["keys"])

    def add_key(self, new: Identity) -> Key:
        """A further key: it says itself that it is to be added, and so does the one in use."""
        said = {"action": "add", "kid": new.kid}
        proof, statement = new.sign("ogham-key+jws", said), self._signer().sign("ogham-key+jws", said)
        body = {"key": new.public, "proof": proof, "statement": statement}
        return cast(Key, self._post("/v1/players/me/keys", body, as_player=True))

    def revoke_key(self, kid: str) -> Key:
        """From now on what this key signs counts nowhere. It may be the one in use."""
        statement = self._signer().sign("ogham-key+jws", {"action": "revoke", "kid": kid})
        return cast(
            Key, self._post(_at("players", "me", "keys", kid, "revocation"), {"statement": statement}, as_player=True)
        )

    def delete_account(self) -> None:
        """Leave for good: all matches are resigned, and what names you is deleted. The logs stay."""
        statement = self._signer().sign("ogham-delete+jws", {"aud": self.base_url})
        self._request("POST", "/v1/players/me/deletion", json={"statement": statement})

    # -- time

    def clock(self, match_id: str) -> Clock:
        """Whose time runs in a match, how much is left, and until when."""
        return cast(Clock, self._get(_at("matches", match_id, "clock"), as_player=False))

    def pause(self, match_id: str) -> Clock:
        """Say that one wants a pause; the clocks stop when everybody does."""
        return cast(Clock, self._post(_at("matches", match_id, "pause"), None, as_player=True))

    def resume(self, match_id: str) -> Clock:
        """Let the clocks run again."""
        return cast(Clock, self._post(_at("matches", match_id, "resumption"), None, as_player=True))

    def back(self, match_id: str) -> Clock:
        """Say that one is there again after one's time was up."""
        return cast(Clock, self._post(_at("matches", match_id, "return"), None, as_player=True))

    def vacations(self) -> Vacations:
        return cast(Vacations, self._get("/v1/players/me/vacations"))

    def announce_vacation(self, until: str, start: str | None = None) -> Vacations:
        """No clock runs from now, or the morning of `start`, to the end of the day `until`; one's tables are told."""
        return self._vacation({"action": "announce", "from": start, "until": until})

    def end_vacation(self) -> Vacations:
        """Back early."""
        return self._vacation({"action": "end", "from": None, "until": None})

    def _vacation(self, said: dict[str, Any]) -> Vacations:
        statement = self._signer().sign("ogham-vacation+jws", said)
        return cast(Vacations, self._post("/v1/players/me/vacations", {"statement": statement}, as_player=True))

    def facts(self, match_id: str | None = None) -> Any:
        """One's own facts; or those of everybody in a match, by seat."""
        if match_id is None:
            return self._get("/v1/players/me/facts")
        return self._get(_at("matches", match_id, "facts"))["seats"]

    def calendar(self) -> str:
        """A new secret address for one's deadlines as a calendar; one from before leads nowhere any more."""
        return str(self._post("/v1/players/me/calendar", None, as_player=True)["url"])

    # -- matches

    def games(self) -> list[Game]:
        return cast(list[Game], self._get("/v1/games", as_player=False)["games"])

    def bots(self) -> list[str]:
        """Those that may be invited to a match."""
        return cast(list[str], self._get("/v1/games", as_player=False)["bots"])

    def open(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        invite: Sequence[str] = (),
        shuffle: str = "joint",
        clock: Mapping[str, Any] | None = None,
        asks: Mapping[str, int] | None = None,
    ) -> Match:
        """A new match. The invited get a mail, and bots sit down at once; everybody else has to be told its id.

        `clock` says how much time there is, `asks` what a player must have shown to take a seat; docs/clocks.md.
        """
        body: dict[str, Any] = {"game": game, "seats": seats, "options": dict(options or {}), "invite": list(invite)}
        body |= {"shuffle": shuffle}
        body |= {name: dict(value) for name, value in (("clock", clock), ("asks", asks)) if value is not None}
        return cast(Match, self._post("/v1/matches", body, as_player=True))

    def join(self, match_id: str, seat: int | None = None) -> Match:
        """Take this seat, or the first free one. The nonce, our share of the shuffle, is random.

        Where the shuffle is sealed, the nonce is only promised now: `open_nonce` opens it when the table is full.
        """
        match = self.match(match_id)
        if seat is not None:
            return self._take_seat(match, seat)
        for free in range(match["seats"] - 1):
            try:
                return self._take_seat(match, free)
            except Problem as problem:
                if problem.code != "seat_taken":
                    raise
        return self._take_seat(match, match["seats"] - 1)

    def _take_seat(self, match: Match, seat: int) -> Match:
        signer = self._signer()
        keys = [key["jwk"] for key in self.keys() if key["revoked_at"] is None]
        said = {"match": match["id"], "opened": match["opened"], "seat": seat, "keys": keys}
        share = {"nonce": secrets.token_urlsafe(32)}
        if match["shuffle"] == "sealed":
            share = {"promise": promise(match["id"], seat, signer.nonce(match["id"]))}
        statement = signer.sign("ogham-join+jws", said | share)
        answer = self._insist(_at("matches", match["id"], "seats"), {"statement": statement})
        return cast(Match, _body(answer))

    def open_nonce(self, match_id: str) -> Match:
        """Open the nonce that was promised when joining; BrokenLog if the log doesn't show everybody's promise yet.

        What is signed names the log as it is now: whose promise comes later can't say that it was there before.
        """
        match = self.match(match_id)
        entries = list(self.log(match_id))
        check_log(entries)
        joined = {entry["seat"] for entry in (json.loads(entry["public"]) for entry in entries) if "promise" in entry}
        if len(joined) < match["seats"]:
            raise BrokenLog(len(entries), "somebody hasn't promised a nonce yet: yours stays closed until then")
        said = {"match": match_id, "seat": match["seat"], "seq": len(entries), "head": entries[-1]["hash"]}
        statement = self._signer().sign("ogham-nonce+jws", said | {"nonce": self._signer().nonce(match_id)})
        return cast(Match, self._post(_at("matches", match_id, "nonces"), {"statement": statement}))

    def matches(self, mine: bool = False, status: str | None = None) -> Iterator[Match]:
        """Everybody's matches, or one's own."""
        query = {"mine": "true" if mine else "false"} | ({"status": status} if status else {})
        while True:
            page = self._get("/v1/matches", query)
            yield from page["matches"]
            if page["next"] is None:
                return
            query["after"] = page["next"]

    def match(self, match_id: str) -> Match:
        return cast(Match, self._get(_at("matches", match_id)))

    def state(self, match_id: str, at: int | None = None, language: str = "en") -> State:
        """The position as one may see it: now, or when the log had this length."""
        return cast(State, self._get(_at("matches", match_id, "state"), _query(at, language)))

    def legal(self, match_id: str, language: str = "en") -> Legal:
        """What one may play now."""
        return cast(Legal, self._get(_at("matches", match_id, "legal"), _query(None, language)))

    def board(self, match_id: str, at: int | None = None, language: str = "en", theme: str = "light") -> str:
        """The position as an SVG picture."""
        query = _query(at, language) | {"theme": theme}
        return self._read(_at("matches", match_id, "board.svg"), query, as_player=True).text

    def log(self, match_id: str) -> Iterator[Entry]:
        """Every entry, from the first on; `client.chain.check_log` checks them."""
        after = 0
        while True:
            page = self._get(_at("matches", match_id, "log"), {"after": str(after)})
            yield from page["entries"]
            if page["next"] is None:
                return
            after = page["next"]

    def transcript(self, match_id: str) -> Iterator[bytes]:
        """The match to take away, line by line: `engine.verify.verify` checks it, without us."""
        path = _at("matches", match_id, "transcript")
        headers = self._bearer() if self.identity else {}
        with _named_faults(self.base_url), self._http.stream("GET", path, headers=headers) as answer:
            if not answer.is_success:
                answer.read()
                _checked(answer)
            rest = b""
            for chunk in answer.iter_bytes():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line + b"\n" for line in lines)
            if rest:
                yield rest

    def service_keys(self) -> list[dict[str, str]]:
        """The public keys that receipts are signed with, the current one first."""
        return cast(list[dict[str, str]], self._get("/v1/keys", as_player=False)["keys"])

    # -- moves

    def submit(self, match_id: str, moves: Sequence[str], wait: float = LONGEST_WAIT) -> Submission:
        """Sign the lines as an answer to the position there is now; the verdict, if it came within `wait` seconds.

        Problem when the first line can't be played. When a later one can't, the verdict says so; what was played stays.
        """
        match = self.match(match_id)
        if match["seat"] is None:
            raise NotSeated(match_id)
        said = {name: match[name] for name in ("seat", "seq", "head")} | {"match": match_id, "moves": list(moves)}
        return self.send(match_id, self._signer().sign("ogham-move+jws", said), wait)

    def send(self, match_id: str, submission: str, wait: float = LONGEST_WAIT) -> Submission:
        """Send a signed submission until it is answered. Sent again it is the same one, so nothing is played twice."""
        until = time.monotonic() + wait
        prefer = {"Prefer": f"wait={min(int(wait), LONGEST_WAIT)}"} if wait >= 1 else {}
        answer = self._insist(_at("matches", match_id, "moves"), {"submission": submission}, prefer)
        return self._settled(cast(Submission, _body(answer)), until)

    def submission(self, submission_id: str) -> Submission:
        """A submission of one's own, and its verdict once it has one."""
        return cast(Submission, self._get(_at("submissions", submission_id)))

    def _settled(self, submission: Submission, until: float) -> Submission:
        pause = 0.05
        while submission["status"] == "waiting" and time.monotonic() < until:
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)
            submission = self.submission(submission["id"])
        verdict = submission["verdict"]
        if verdict is not None and verdict["problem"] is not None and not verdict["played"]:
            raise Problem(verdict["problem"])
        return submission

    def order(self, match_id: str, line: str) -> Order:
        """Leave a standing order, or take one back: `withdraw 2`. The receipt in the answer is worth keeping."""
        said = {"match": match_id, "seat": self._seat_in(match_id), "order": line}
        statement = self._signer().sign("ogham-order+jws", said)
        return cast(Order, _body(self._insist(_at("matches", match_id, "orders"), {"statement": statement})))

    def orders(self, match_id: str, language: str = "en") -> Orders:
        """All that one ordered or took back, and how to say more."""
        return cast(Orders, self._get(_at("matches", match_id, "orders"), {"language": language}))

    def say(self, match_id: str, text: str) -> Message:
        """Say something to the others at one's table."""
        return cast(Message, self._post(_at("matches", match_id, "messages"), {"text": text}, as_player=True))

    def messages(self, match_id: str) -> Iterator[Message]:
        """What was said at one's table, the oldest first."""
        after: int | None = 0
        while after is not None:
            page = self._get(_at("matches", match_id, "messages"), {"after": str(after)})
            yield from cast(list[Message], page["messages"])
            after = page["next"]

    def resign(self, match_id: str) -> Match:
        """Leave the match for good."""
        said = {"match": match_id, "seat": self._seat_in(match_id)}
        statement = self._signer().sign("ogham-resign+jws", said)
        return cast(Match, self._post(_at("matches", match_id, "resignation"), {"statement": statement}))

    def _seat_in(self, match_id: str) -> int:
        seat = self.match(match_id)["seat"]
        if seat is None:
            raise NotSeated(match_id)
        return seat

    # -- the wire

    def _signer(self) -> Identity:
        if self.identity is None:
            raise ValueError("Only who has an identity can sign.")
        return self.identity

    def _get(self, path: str, query: Mapping[str, str] | None = None, as_player: bool = True) -> Any:
        return _body(self._read(path, query, as_player))

    def _read(self, path: str, query: Mapping[str, str] | None, as_player: bool) -> httpx.Response:
        return self._request("GET", path, as_player=as_player, params=query)

    def _post(self, path: str, body: Mapping[str, Any] | None, as_player: bool = False) -> Any:
        return _body(self._request("POST", path, as_player=as_player, json=body))

    def _insist(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> httpx.Response:
        """POST what is the same when it is sent again, until somebody answers or patience ends."""
        until, pause = time.monotonic() + self._patience, 0.1
        while True:
            try:
                return self._request("POST", path, json=body, headers=headers, timeout=TIMEOUT + LONGEST_WAIT)
            except (Unreachable, Problem) as error:
                passing = isinstance(error, Unreachable) or error.status in _PASSING
                if not passing or time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 2.0)

    def _request(self, method: str, path: str, *, as_player: bool = False, **how: Any) -> httpx.Response:
        """The answer, if it is a good one. As a player: with a bearer token, and with a new one if that has expired."""
        if not as_player or self.identity is None:
            return _checked(self._exchange(method, path, **how))
        kept = self._token is not None
        answer = self._exchange(method, path, headers=self._bearer(), **how)
        if answer.status_code == httpx.codes.UNAUTHORIZED and kept:
            self._token = None
            answer = self._exchange(method, path, headers=self._bearer(), **how)
        return _checked(answer)

    def _bearer(self) -> dict[str, str]:
        if self._token is None:
            assertion = self._signer().sign("ogham-token+jws", {"aud": self.base_url})
            self._token = self._post("/v1/tokens", {"assertion": assertion})["token"]
        return {"Authorization": f"Bearer {self._token}"}

    def _exchange(self, method: str, path: str, **how: Any) -> httpx.Response:
        with _named_faults(self.base_url):
            return self._http.request(method, path, **how)


@contextmanager
def _named_faults(url: str) -> Iterator[None]:
    try:
        yield
    except (httpx.RequestError, httpx.InvalidURL) as error:
        raise Unreachable(url, str(error) or type(error).__name__) from error


def _at(*steps: str) -> str:
    """The path of a resource, whatever the ids in it are made of."""
    return "/v1/" + "/".join(quote(step, safe="") for step in steps)


def _query(at: int | None, language: str) -> dict[str, str]:
    return {"language": language} | ({} if at is None else {"at": str(at)})


def _body(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise Garbled(str(answer.url)) from None


def _checked(answer: httpx.Response) -> httpx.Response:
    """The answer, unless it is a problem."""
    if answer.is_success:
        return answer
    said: dict[str, Any] = {"status": answer.status_code, "title": f"HTTP {answer.status_code} {answer.reason_phrase}"}
    if answer.headers.get("Content-Type", "").startswith("application/problem+json"):
        said |= _body(answer)
    raise Problem(said)
