"""Checking one's standing orders: that none acted after it was taken back."""

import json
from collections.abc import Iterable
from typing import Any

from client.answers import Entry, Order
from engine.errors import BrokenLog
from engine.log import decode


def check_orders(entries: Iterable[Entry], orders: Iterable[Order]) -> int:
    """How many answers of one's own in this log were given by an order; BrokenLog at one that shouldn't have been.

    `orders` are one's own, as the service told them when they were given: the receipts say how long the log was then.
    """
    receipts = [_said(order["receipt"]) for order in orders]
    given = {receipt["number"]: receipt for receipt in receipts}
    withdrawn = {
        int(number): receipt
        for receipt in receipts
        if receipt["order"].startswith("withdraw ")
        for number in receipt["order"].split()[1:]
    }
    obeyed = 0
    for entry in entries:
        for opening in entry["openings"]:
            number = opening["value"].get("order") if isinstance(opening["value"], dict) else None
            if number is None:
                continue
            if number not in given or entry["seq"] < given[number]["length"]:
                raise BrokenLog(entry["seq"], f"order {number} acted, and was never given, or only later")
            if number in withdrawn and entry["seq"] >= withdrawn[number]["length"]:
                raise BrokenLog(entry["seq"], f"order {number} acted after it was taken back")
            obeyed += 1
    return obeyed


def _said(receipt: str) -> Any:
    return json.loads(decode(receipt.split(".")[1]))
