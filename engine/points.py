"""Points of small order on Ed25519: with such a public key one signature fits every message, so none may count."""

# By their y coordinate (RFC 8032 encoding, sign bit cleared), the spellings above the prime included.
_SMALL_ORDER = frozenset(
    bytes.fromhex(point)
    for point in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
)


def is_weak(point: bytes) -> bool:
    """Whether the 32 bytes of a public key are such a point."""
    return point[:31] + bytes([point[31] & 0x7F]) in _SMALL_ORDER
