"""Going on with a match: what is played of itself, and who is asked then.

A match goes on until a player must be asked: a seat that left is played for, lines that waited for others' answers are
played when they have come, and standing orders answer what their owner would be asked out of turn.
"""

from datetime import UTC, datetime, time, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.errors import NotationError, RuleViolation
from engine.events import Seat
from engine.game import Game, Language, Move, State
from engine.log import encode
from engine.play import Played, fold, play_absent, play_line, play_move
from engine.values import JSON
from service.clocks import SERVICE, come_back, player_at, restart_clock, stop_clock
from service.matches import chance_of, close_if_over, lock_match, note_position
from service.notices import tell_player, tell_whose_turn
from service.parts import now
from service.store.db import Transaction, db, writing
from service.store.logbook import Scribe, game_of, load_state, proof_of
from service.store.tables import Key, Match, Order, Player, Seated, Submission, Taken

MAIL = "mail"  # the kid of what came by mail
MOST_AT_ONCE = 200
ASK = "ask"  # the order that every game has: leave it to me
UNREAD: dict[str, dict[Language, str]] = {
    "unreadable": {"en": "This line is no move.", "de": "Diese Zeile ist kein Zug."},
    "ambiguous": {"en": "This line may mean several moves.", "de": "Diese Zeile kann mehreres heißen."},
}


class Playing:
    """A match that is played on, in one transaction that holds its row."""

    def __init__(self, transaction: Transaction, match: Match) -> None:
        self.transaction = transaction
        self.session = transaction.session
        self.match = match
        self.game: Game = game_of(match)
        self.state: State = load_state(self.session, match)
        self.before = match.length
        self.told: set[int | None] = set()
        """Seats that were sent the position, with what became of their lines."""
        self._scribe = Scribe(self.session, match)

    def line(self, seat: Seat, line: str, grade: str, evidence: JSON, person: str) -> Played:
        """Play one line of a player's; NotationError or RuleViolation where it can't be."""
        played = play_line(self.game, self.state, seat, line, chance_of(self.match))
        asked_at = self.match.asked_at if evidence["line"] == 0 else None
        self._moved(played, self._proof(seat, grade, evidence), person)
        self._took(person, None if asked_at is None else now() - asked_at)
        return played

    def obey(self, seat: Seat, order: Order, move: Move) -> None:
        """Play what an order answers, as the player's own move."""
        played = play_move(self.game, self.state, seat, move, chance_of(self.match))
        proof = self._proof(seat, order.grade, order.evidence | {"order": order.number})
        self._moved(played, proof, order.player_id, order)
        self._took(order.player_id, None)

    def absent(self, seat: Seat) -> None:
        """Play what is played for a seat that left."""
        self._moved(play_absent(self.game, self.state, seat, chance_of(self.match)), SERVICE, None)

    def bot(self, seat: Seat, move: Move) -> None:
        """Play what a bot chose."""
        self._moved(play_move(self.game, self.state, seat, move, chance_of(self.match)), SERVICE, None)

    def time_out(self, seat: Seat, move: Move, policy: str) -> None:
        """Play for a seat whose time is up."""
        played = play_move(self.game, self.state, seat, move, chance_of(self.match))
        self._moved(played, SERVICE, None, kind="timed_out", policy=policy)

    def note_miss(self, seat: Seat) -> None:
        """The next entry tells of a decision that this seat's player missed."""
        self._took(player_at(self.session, self.match, seat), None, missed=True, seq=self.match.length)

    def leave(
        self, seat: Seat, proof: JSON, person: str | None = None, kind: str = "resigned", **members: JSON
    ) -> None:
        events = self.game.leave(self.state, seat, chance_of(self.match))
        self._scribe.append(kind, seat=seat, proof=proof, person=person, events=events, **members)
        self.state = fold(self.game, self.state, events)
        note_position(self.match, self.game, self.state)
        self.session.get_one(Seated, (self.match.id, seat)).left_at = now()

    def welcome_back(self, seat: int) -> None:
        """The player was heard of. That is no move: what is told of those is told from here on."""
        if come_back(self.transaction, self.match, self._scribe, seat):
            self.before = self.match.length

    def restart_clock(self) -> None:
        """The deadline is worked out anew."""
        restart_clock(self.transaction, self.match, self._scribe)

    def stop_clock(self) -> None:
        """The time of who was asked is over; going on lets time run again."""
        stop_clock(self.transaction, self.match, self._scribe)

    def close(self) -> None:
        """The end, if this was it; and the state kept."""
        close_if_over(self.transaction, self.match, self._scribe, self.state, self.before)

    def _proof(self, seat: Seat, grade: str, evidence: JSON) -> JSON:
        """Others see it when the turn is over, since lines to come may tell of a hidden card.

        An answer out of turn stays its owner's until the end: whether an order gave it is nobody else's business.
        """
        own_turn = self.game.turn(self.state) == seat
        return proof_of(grade, evidence, to=(seat,), **({"until": "turn"} if own_turn else {}))

    def _moved(
        self, played: Played, proof: JSON, person: str | None, acting: Order | None = None, kind: str = "moved",
        **members: JSON,
    ) -> None:  # fmt: skip
        seat, told = played.seat, members | {"move": played.move}
        if self.match.turn != seat:
            _lapse(self, seat, acting)
        self._scribe.append(kind, seat=seat, proof=proof, person=person, events=played.events, **told)
        self.state = played.state
        note_position(self.match, self.game, self.state)

    def _took(self, player_id: str, time: timedelta | None, missed: bool = False, seq: int | None = None) -> None:
        """Note how long the player took for the entry just written."""
        seq = self.match.length - 1 if seq is None else seq
        row = Taken(match_id=self.match.id, seq=seq, player_id=player_id, time=time, missed=missed)
        self.session.add(row)


def go_on(playing: Playing) -> None:
    """Play what is played of itself, then close the match if it is over."""
    match, game = playing.match, playing.game
    match.orders_due = None
    kept = [] if game.orders is None else _kept(playing)
    while (seat := game.to_act(playing.state)) is not None:
        if seat in game.left(playing.state):
            playing.absent(seat)
        elif not (_play_kept(playing, seat, kept) if seat == match.turn else answer_by_orders(playing, seat)):
            break
    for waiting in kept:
        if waiting.status == "kept" and (waiting.seat != match.turn or waiting.seat in game.left(playing.state)):
            _drop(playing, waiting, {"code": "turn_passed", "detail": "Your turn was over before it could be played."})
    playing.close()


def tell_who_is_asked(playing: Playing) -> None:
    """The turn notice for the decision that is due, unless an order will answer it or its seat was told already."""
    match = playing.match
    if match.status == "running" and match.orders_due is None and match.to_act not in playing.told:
        tell_whose_turn(playing.transaction, match)


# -- lines of a submission


def play_lines(playing: Playing, submission: Submission) -> None:
    """Play its lines, up to the first that can't be played, or until somebody else must answer first.

    In the latter case the rest is kept, as long as the turn is the player's.
    """
    player = playing.session.get_one(Player, submission.player_id)
    seat, played = Seat(submission.seat), list(submission.verdict["played"]) if submission.verdict else []
    problem = None
    while (number := len(played)) < len(submission.lines):
        if playing.game.to_act(playing.state) != seat == playing.game.turn(playing.state):
            break
        line = submission.lines[number]
        try:
            move = playing.line(seat, line, submission.grade, submission.evidence | {"line": number}, player.id).move
        except (NotationError, RuleViolation) as refusal:
            problem = problem_of(playing.game, refusal, cast(Language, player.language)) | {"line": line}
            break
        played.append({"line": line, "move": move, "seq": playing.match.length - 1})
    rest = submission.lines[len(played) :]
    kept, dropped = (rest, []) if problem is None else ([], rest[1:])
    judge(playing.match, submission, played, problem, kept, dropped)


def judge(
    match: Match, submission: Submission, played: list[Any], problem: Any, kept: list[str], dropped: list[str]
) -> None:
    """Write down what became of it so far."""
    submission.verdict = {
        "played": played, "problem": problem, "kept": kept, "dropped": dropped,
        "seq": match.length, "head": encode(match.head),
    }  # fmt: skip
    submission.status = "kept" if kept else "done"


def problem_of(game: Game, refusal: NotationError | RuleViolation, language: Language) -> dict[str, Any]:
    """A refused line as a problem: its code, the rule it breaks, and a sentence."""
    if isinstance(refusal, RuleViolation):
        sentence = game.explain(refusal, language)
        return {"code": "move_refused", "rule": refusal.rule, "reason": refusal.code, "detail": sentence}
    sentence = refusal.expected or UNREAD[refusal.code][language]
    return {"code": f"move_{refusal.code}", "detail": sentence, "choices": list(refusal.choices)}


def revocation(playing: Playing, submission: Submission) -> dict[str, Any] | None:
    """The problem of a key that was revoked after it signed: its move would stand in the log behind the revocation."""
    if submission.kid == MAIL or playing.session.get_one(Key, submission.kid).revoked_at is None:
        return None
    return {"code": "key_revoked", "detail": "The key that signed this was revoked before it was settled."}


def _kept(playing: Playing) -> list[Submission]:
    """The submissions with lines that wait, the oldest first."""
    return list(
        playing.session.scalars(
            select(Submission)
            .where(Submission.match_id == playing.match.id, Submission.status == "kept")
            .order_by(Submission.received_at, Submission.id)
            .execution_options(populate_existing=True)
        )
    )


def _play_kept(playing: Playing, seat: Seat, kept: list[Submission]) -> bool:
    """Go on with a submission that this seat's turn was left with; whether there was one."""
    waiting = next((waiting for waiting in kept if waiting.seat == seat and waiting.status == "kept"), None)
    if waiting is None:
        return False
    problem = revocation(playing, waiting)
    if problem is not None:
        _drop(playing, waiting, problem)
        return True
    play_lines(playing, waiting)
    if waiting.verdict["problem"] is not None:  # type: ignore[index]  # just judged
        _tell_dropped(playing, waiting)
    return True


def _drop(playing: Playing, waiting: Submission, problem: dict[str, Any]) -> None:
    verdict = cast(dict[str, Any], waiting.verdict)
    line, *rest = verdict["kept"]
    judge(playing.match, waiting, verdict["played"], problem | {"line": line}, [], rest)
    _tell_dropped(playing, waiting)


def _tell_dropped(playing: Playing, waiting: Submission) -> None:
    """Later than its answer, and so by a notice of its own, which also asks for what the seat decides instead."""
    player = playing.session.get_one(Player, waiting.player_id)
    key, about = f"answer:{waiting.id}:dropped", {"submission": waiting.id}
    tell_player(playing.transaction, "answer", key, player, playing.match, waiting.seat, **about)
    playing.told.add(waiting.seat)


# -- standing orders


def standing_orders(session: Session, match_id: str, seat: int) -> list[Order]:
    """The seat's orders that hold, the newest first. With the key that signed it, an order is revoked."""
    return list(
        session.scalars(
            select(Order)
            .outerjoin(Key, Key.kid == Order.kid)
            .where(Order.match_id == match_id, Order.seat == seat, Order.status == "standing", Key.revoked_at.is_(None))
            .order_by(Order.number.desc())
            .execution_options(populate_existing=True)
        )
    )


def answer_by_orders(playing: Playing, seat: Seat, at_once: bool = False) -> bool:
    """Answer for the seat by the newest of its orders that speaks of what it is asked; whether one did.

    An order for an hour of the day waits until then, and nobody is asked meanwhile. `at_once`: it doesn't wait, since
    the seat's time is up.
    """
    orders = playing.game.orders
    if orders is None or seat == playing.match.turn:
        return False
    view = playing.game.view(playing.state, seat)
    for order in standing_orders(playing.session, playing.match.id, seat):
        if order.text == ASK:
            return False
        move = orders.obey(order.text, view)
        if move is None:
            continue
        due = _acts_at(order, playing.match.asked_at or now())
        if due > now() and not at_once:
            playing.match.orders_due = due
            return False
        playing.obey(seat, order, move)
        return True
    return False


def _acts_at(order: Order, asked_at: datetime) -> datetime:
    """When the order acts on what was asked at that moment: at once, or the next time its hour strikes."""
    since = max(asked_at, order.given_at)
    if order.hour is None:
        return since
    zone = ZoneInfo(order.zone)
    today = since.astimezone(zone).date()
    strokes = (datetime.combine(today + timedelta(days=days), time.fromisoformat(order.hour), zone) for days in (0, 1))
    return next(stroke for stroke in (stroke.astimezone(UTC) for stroke in strokes) if stroke >= since)


def _lapse(playing: Playing, seat: int, acting: Order | None) -> None:
    """The seat answers out of turn: what it ordered before it was asked, for the next time only, has had its time."""
    asked_at = playing.match.asked_at or now()
    for order in standing_orders(playing.session, playing.match.id, seat):
        if order.once and (order is acting or order.given_at <= asked_at):
            order.status = "used"


def follow_orders(match_id: str) -> None:
    """The hour that an order waited for has come."""
    with writing() as transaction:
        match = lock_match(transaction.session, match_id)
        if match.orders_due is not None and match.orders_due <= now():
            playing = Playing(transaction, match)
            go_on(playing)
            tell_who_is_asked(playing)


def orders_due() -> list[str]:
    """The matches in which that hour has come."""
    found = list(db.session.scalars(select(Match.id).where(Match.orders_due <= now()).limit(MOST_AT_ONCE)))
    db.session.commit()
    return found
