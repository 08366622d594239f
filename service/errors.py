"""What the service says no with. `service/api/problems.py` maps each code to HTTP, in one table.

ServiceError
├── NotFound           there is no such match, player, submission
├── NotAllowed         it is there, and not for you
├── Unsigned           one answer for everything that isn't a good signature by a key of that seat
├── BadStatement       well signed, and not acceptable: other match, revoked key, used twice...
├── Conflict           it was right once, or in another place: the table is full, the address is taken...
├── TooOften           it may be said again later: `retry_after` says in how many seconds
└── Malformed          it can't be what was meant
"""


class ServiceError(Exception):
    """`code` never changes once published; `sentence` is for a person; `more` are facts a client can use."""

    def __init__(self, code: str, sentence: str, **more: object) -> None:
        super().__init__(code, sentence)
        self.code = code
        self.sentence = sentence
        self.more = more


class NotFound(ServiceError):
    pass


class NotAllowed(ServiceError):
    pass


class Unsigned(ServiceError):
    def __init__(self) -> None:
        super().__init__(
            "signature_invalid",
            "This is no compact JWS (Ed25519; header alg, kid and typ) signed with a key registered for this purpose.",
        )


class BadStatement(ServiceError):
    pass


class Conflict(ServiceError):
    pass


class TooOften(ServiceError):
    pass


class Malformed(ServiceError):
    pass
