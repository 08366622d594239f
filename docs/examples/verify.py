"""A second verifier of Ogham's transcripts, written from docs/transcript.md alone: it imports nothing of Ogham.

    python verify.py TRANSCRIPT [JWKS]

Checks chain, seals, receipts, players' signatures and the seed, and says where the first fault is. It doesn't know the
games, and so can't judge moves. Needs Python and `cryptography`; take it as a start for one in your own language.
"""

import hashlib
import hmac
import json
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TYPES = {
    "joined": "join",
    "nonce_opened": "nonce",
    "moved": "move",
    "resigned": "resign",
    "key_added": "key",
    "key_revoked": "key",
}


class Fault(Exception):
    pass


def must(holds, what):
    if not holds:
        raise Fault(what)


def b64(raw):
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def unb64(text):
    raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    must(b64(raw) == text, "not the one spelling in base64url")
    return raw


def canonical(form):
    """RFC 8785, for what stands in a log: objects with plain names, lists, texts, whole numbers, true, false, null."""
    return json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def sha(form):
    return b64(hashlib.sha256(canonical(form)).digest())


def thumbprint(jwk):
    return sha({name: jwk[name] for name in ("crv", "kty", "x")})


def jws(text, typ, keys):
    """The payload of a compact JWS of this type, signed by one of these keys (kid: JWK)."""
    head, body, signature = text.split(".")
    header = json.loads(unb64(head))
    must(set(header) == {"alg", "kid", "typ"} and header["alg"] == "Ed25519", "another header")
    must(header["typ"].lower().removeprefix("application/") == f"ogham-{typ}+jws", "another type")
    must(header["kid"] in keys, "signed by a key that doesn't count here")
    try:
        key = Ed25519PublicKey.from_public_bytes(unb64(keys[header["kid"]]["x"]))
        key.verify(unb64(signature), f"{head}.{body}".encode())
    except InvalidSignature:
        raise Fault("a signature doesn't hold") from None
    return json.loads(unb64(body))


def marks(form, name):
    """The marks of this name in a form; what stands inside a mark is a value."""
    if isinstance(form, list):
        for item in form:
            yield from marks(item, name)
    elif isinstance(form, dict):
        for member, value in form.items():
            if member == name:
                yield value
            elif member not in ("$seal", "$show"):
                yield from marks(value, name)


# -- chance: a seed and a label give a stream of numbers


def words(seed, label):
    counter = 0
    while True:
        block = hmac.digest(seed, label.encode() + b"\0" + counter.to_bytes(8, "big"), "sha256")
        for start in range(0, 32, 8):
            yield int.from_bytes(block[start : start + 8], "big")
        counter += 1


def below(stream, n):
    return next(word % n for word in stream if word < 2**64 - 2**64 % n)


def shuffle(seed, label, items):
    stream, order = words(seed, label), list(items)
    for i in range(len(order) - 1, 0, -1):
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# -- the transcript


class Transcript:
    def __init__(self, trusted=None):
        self.trusted = trusted  # the service's keys (kid: JWK); None: those in the transcript are believed
        self.head, self.hashes = bytes(32), []
        self.seals, self.values = {}, {}
        self.keys, self.nonces, self.promises = {}, {}, {}
        self.bots, self.left = set(), set()
        self.secret = self.seed = None

    def read(self, lines):
        """Fault, with the number of the line, at the first that isn't as it must be."""
        number, ended, digest = 0, False, hashlib.sha256()
        for number, raw in enumerate(lines, 1):
            try:
                must(not ended, "there is a line behind the last")
                line = json.loads(raw)
                must(canonical(line) + b"\n" == raw, "this isn't canonical JSON")
                if number == 1:
                    self.first_hash = b64(hashlib.sha256(raw).digest())
                    self.first(line)
                elif "end" in line:
                    self.last(line, b64(digest.digest()))
                    ended = True
                else:
                    self.entry(line)
                digest.update(raw)
            except Fault as fault:
                raise Fault(f"line {number}: {fault}") from None
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                raise Fault(f"line {number}: it can't be read ({error!r})") from None
        if not ended:
            raise Fault(f"line {number + 1}: the last line is missing")

    def first(self, line):
        must(line["ogham"] == "transcript" and line["format"] == 1, "no transcript of a format known here")
        self.match, self.reader = line["match"], line["seat"]
        for jwk in line["keys"]:
            must(jwk["kid"] == thumbprint(jwk), "a key isn't the one that its kid names")
        known = {jwk["kid"]: jwk for jwk in line["keys"]}
        self.service = {kid: jwk for kid, jwk in known.items() if self.trusted is None or kid in self.trusted}

    def entry(self, line):
        form, seq = line["entry"], len(self.hashes)
        must((form["match"], form["seq"]) == (self.match, seq), "another match's, or another place")
        self.head = hashlib.sha256(self.head + canonical(form)).digest()
        must(line["hash"] == b64(self.head), "its bytes don't give its hash")
        self.hashes.append(line["hash"])
        if line["receipt"] is not None:
            said = {"match": self.match, "length": seq + 1, "head": line["hash"], "at": form["at"]}
            must(jws(line["receipt"], "head", self.service) == said, "the receipt is for another head")
        for mark in marks(form, "$seal"):
            must(mark["number"] not in self.seals, "a seal has the number of another")
            self.seals[mark["number"]] = mark["seal"]
        for opening in (*(mark for mark in marks(form, "$show") if "salt" in mark), *line["openings"]):
            number, value = opening["number"], opening["value"]
            mac = hmac.digest(unb64(opening["salt"]), canonical([self.match, number, value]), "sha256")
            must(self.seals[number] == b64(mac), f"seal {number} doesn't hold the value shown for it")
            self.values[number] = value
        self.statement(form, seq)
        self.share(form)

    def statement(self, form, seq):
        """The player's signature, where there is one that this reader may open."""
        kind, seat, proof = form["kind"], form.get("seat"), form.get("proof", {})
        if kind == "joined":
            self.keys[seat] = {thumbprint(jwk): jwk for jwk in form["keys"]}
            if "bot" in form:
                self.bots.add(seat)
                must(self.bots == set(self.keys) and not form["keys"], "a bot has no keys and joins before all players")
        self.unproven(kind, seat, proof, "move" in form)
        evidence = self.values.get(proof["evidence"]["$seal"]["number"]) if "evidence" in proof else None
        if evidence is not None and "jws" in evidence:
            typ = "order" if "order" in evidence else "delete" if "deletion" in evidence else TYPES[kind]
            said = jws(evidence["jws"], typ, self.keys[seat])
            if typ == "key":
                kid = form["kid"] if kind == "key_revoked" else thumbprint(form["key"])
                action = {"key_added": "add", "key_revoked": "revoke"}[kind]
                must((said["action"], said["kid"]) == (action, kid), "another key was meant")
            elif typ != "delete":
                must((said["match"], said["seat"]) == (self.match, seat), "signed for another match or seat")
            if typ == "join":
                must(said["opened"] == self.hashes[0] and said["keys"] == form["keys"], "another joining was signed")
                must(all(said[name] == form[name] for name in ("nonce", "promise") if name in form), "another nonce")
            if typ in ("move", "nonce"):
                must(0 < said["seq"] <= seq and said["head"] == self.hashes[said["seq"] - 1], "it answers another log")
            if typ == "move":
                must(0 <= evidence["line"] < len(said["moves"]), "no line of what was signed")
        if kind == "key_added":
            self.keys[seat][thumbprint(form["key"])] = form["key"]
        elif kind == "key_revoked":
            del self.keys[seat][form["kid"]]

    def unproven(self, kind, seat, proof, moved):
        """Nobody but the service speaks for a bot. It moves for nobody else who hasn't left."""
        if seat in self.bots:
            must(proof == {"grade": "service"} and kind in ("joined", "nonce_opened", "moved"), "no bot does that")
        elif kind in ("joined", "moved") and "evidence" not in proof:
            must(kind == "moved" and seat in self.left, "nobody did this")
        elif kind == "resigned" or (kind == "timed_out" and not moved):
            self.left.add(seat)

    def share(self, form):
        """Commitment, nonces, secret, seed."""
        kind, seat = form["kind"], form.get("seat")
        if kind == "opened":
            self.commitment, self.seats = form["commitment"], form["seats"]
        elif kind == "joined" and "promise" in form:
            self.promises[seat] = form["promise"]
        elif kind == "joined":
            self.nonces[seat] = form["nonce"]
        elif kind == "nonce_opened":
            must(self.promises[seat] == sha(["ogham-nonce", self.match, seat, form["nonce"]]), "not what was promised")
            self.nonces[seat] = form["nonce"]
        elif kind == "closed":
            self.secret = form["secret"]
            must(self.commitment == sha(["ogham-secret", self.match, self.secret]), "not what was committed to")
            nonces = [self.nonces[seat] for seat in range(self.seats)]
            self.seed = hashlib.sha256(canonical(["ogham-seed", self.match, self.secret, nonces])).digest()

    def last(self, line, digest):
        said = jws(line["receipt"], "transcript", self.service)
        must(line["end"] == said["length"] == len(self.hashes), "there are more or fewer entries than were signed")
        must((said["match"], said["head"], said["seat"]) == (self.match, self.hashes[-1], self.reader), "another's")
        must(said["first"] == self.first_hash, "the first line isn't the one that was signed")
        must(said["digest"] == digest, "the lines before aren't those that were signed")


def main(path, jwks=None):
    trusted = None
    if jwks is not None:
        with open(jwks, "rb") as file:
            trusted = {thumbprint(jwk): jwk for jwk in json.load(file)["keys"]}
    transcript = Transcript(trusted)
    try:
        with open(path, "rb") as file:
            transcript.read(file)
    except Fault as fault:
        print(f"NOT GOOD: {fault}")
        return 1
    opened = f"{len(transcript.values)} of {len(transcript.seals)} seals opened"
    print(f"GOOD: {len(transcript.hashes)} entries, {opened}, seed {'known' if transcript.seed else 'not open yet'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
