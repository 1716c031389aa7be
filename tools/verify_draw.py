#!/usr/bin/env python3
"""Recomputes a released draw960 draw: python3 verify_draw.py FILE, or - for standard input.

FILE is the JSON of a released position, of a draw, or of its member "draw". Needs nothing but Python 3; shares no code with
the server. Exit status: 0 everything agrees, 1 something differs, 2 unreadable or not released, 3 what can be checked
agrees, but there is no seed: a draw by hand, whose throws are replayed by hand, or one voided before its release.
"""

import hashlib
import hmac
import json
import re
import struct
import sys


def hkdf(key, salt, info):
    """HKDF-SHA-256 of RFC 5869, one block."""
    return hmac.digest(hmac.digest(salt, key, "sha256"), info + b"\x01", "sha256")


def chacha20_words(key):
    """The ChaCha20 keystream of RFC 8439, nonce 0, from counter 0, as little-endian 32-bit words."""

    def quarter(s, a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            mixed = s[z] ^ s[x]
            s[z] = (mixed << turn | mixed >> (32 - turn)) & 0xFFFFFFFF

    counter = 0
    while True:
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter, 0, 0, 0]
        s = start[:]
        for _ in range(10):
            for i in range(4):
                quarter(s, i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        yield from ((a + b) & 0xFFFFFFFF for a, b in zip(s, start))
        counter += 1


def back_rank(n):
    """Scharnagl's numbering: bishops, queen, knights, then rook, king, rook on what is left."""
    rank = [""] * 8
    rank[n % 4 * 2 + 1] = "B"
    rank[n // 4 % 4 * 2] = "B"
    free = [i for i in range(8) if not rank[i]]
    rank[free.pop(n // 16 % 6)] = "Q"
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for i in pairs[n // 96]:
        rank[free[i]] = "N"
    for piece in "RKR":
        rank[rank.index("")] = piece
    return "".join(rank)


DRAND = "drand [0-9a-f]{64} [1-9][0-9]{0,19}"
SOURCES = f"none|{DRAND}|dice d10|{DRAND} and dice d10|manual [a-z0-9-]{{1,32}}"


def line_texts(draw):
    """Slot text and terms text, once every field has the only form it may have."""
    slot = draw["slot"]
    good = re.fullmatch(r"[!-*,-~]{1,128}", draw["origin"]) and re.fullmatch(r"[a-z0-9][a-z0-9-]{2,62}", slot["event"])
    good = good and 1 <= slot["round"] <= 9999 and 0 <= slot["board"] <= 9999 and 1 <= slot["attempt"] <= 99
    good = good and re.fullmatch(SOURCES, " and ".join(draw["sources"])) and " and " not in draw["sources"][0]
    good = good and draw["repeats"] in ("allowed", "never") and re.fullmatch(r"[0-9a-f]{64}", draw["secret"])
    numbers = draw["excluded"] + draw.get("used", [])
    if not good or any(type(n) is not int or not 0 <= n < 960 for n in numbers):
        raise ValueError("a field does not have its form")
    text = f"draw960/v1\nlog {draw['origin']}\nevent {slot['event']}\n"
    text += f"round {slot['round']:d}\nboard {slot['board']:d}\nattempt {slot['attempt']:d}\n"
    hex_bits = f"{sum(1 << (959 - n) for n in set(draw['excluded'])):0240x}"
    terms = "".join(f"source {s}\n" for s in draw["sources"]) + f"exclude {hex_bits}\nrepeats {draw['repeats']}\n"
    return text.encode(), terms.encode()


def answers(source, line):
    """Whether an entropy line is of the kind that the source announced."""
    form = {"none": "none", "drand": "drand [0-9a-f]{96}", "dice": "dice [0-9]{20}"}[source.split(" ")[0]]
    return re.fullmatch(form, line) is not None


def recompute(draw):
    """Every value that follows from the published ones."""
    slot, terms = line_texts(draw)
    secret = bytes.fromhex(draw["secret"])
    if "commitment" not in draw:
        raise ValueError("there is no commitment to compare with")
    found = {"commitment": hashlib.sha256(b"draw960/v1 commit\n" + slot + terms + secret).hexdigest()}
    commit = b"commit " + found["commitment"].encode() + b"\n"
    if draw["sources"][0].startswith("manual "):
        throws = b"draw960/v1 manual\n" + slot + commit + b"throws " + draw["throws"].encode() + b"\n"
        return found | {"throws_commitment": hashlib.sha256(throws + secret).hexdigest()}
    if draw.get("voided_unreleased"):
        return found
    if len(draw["entropy"]) != len(draw["sources"]) or not all(map(answers, draw["sources"], draw["entropy"])):
        raise ValueError("the entropy does not answer the sources")
    entropy = "".join(f"entropy {line}\n" for line in draw["entropy"]).encode()
    seed = hkdf(secret, b"draw960/v1 seed", slot + terms + commit + entropy)
    skipped = set(draw["excluded"]) | set(draw["used"])
    if len(skipped) == 960 or (draw["repeats"] == "allowed" and draw["used"]):
        raise ValueError("no number is left, or numbers are skipped although repeats are allowed")
    for count, word in enumerate(chacha20_words(seed), 1):
        number = word & 1023
        if number < 960 and number not in skipped:
            return found | {"seed": seed.hex(), "words_used": count, "number": number, "rank": back_rank(number)}


def main(path):
    published = json.load(sys.stdin if path == "-" else open(path, encoding="utf-8"))
    draw = published.get("draw", published)
    published = {**draw, **published}
    if "secret" not in draw and "commitment" in draw:
        raise ValueError("not released: its secret, and with it everything that could be checked, is not public yet")
    voided_unreleased = "entropy" not in draw and "number" not in published and "void" in published
    draw = {**draw, "voided_unreleased": voided_unreleased}
    found, wrong = recompute(draw), False
    if "rank" in found:
        found["fen"] = f"{found['rank'].lower()}/pppppppp/8/8/8/8/PPPPPPPP/{found['rank']} w KQkq - 0 1"
    for name, value in found.items():
        claim = published.get(name)
        verdict = "not published" if claim is None else "agrees" if claim == value else f"DIFFERS, published {claim}"
        wrong |= claim is not None and claim != value
        print(f"{name:17} {value}  {verdict}")
    print("not checked here: the log, the witnesses, the list of used numbers, the beacon's signature")
    return 1 if wrong else 0 if "number" in found else 3


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except (IndexError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        print(f"unreadable: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(2)
