#!/usr/bin/env python3
"""Replays generated games with mutated moves in draw960 and in python-chess and lists where the two disagree.

    tools/differential.py [--games 2000] [--seed 960] [--command 'draw960 validate --json -']

Needs python-chess (pip install chess). Each game starts from one of the 960 positions and has one word of its main line
changed, or none: another square, another piece, a letter added, castling to the other side or in another spelling. Both
sides say how many half-moves can be played from the beginning; a difference is printed with the game. Differences that
are known and wanted are explained in docs/findings.md ("Where others answer differently") and counted apart.
"""
import argparse
import json
import random
import shlex
import subprocess
import sys
from collections import Counter

import chess

MUTATIONS = {
    "none": lambda r, b, s: s,
    "square": lambda r, b, s: s.rstrip("+#")[:-1] + r.choice("12345678"),
    "file": lambda r, b, s: s.rstrip("+#")[:-2] + r.choice("abcdefgh") + s.rstrip("+#")[-1:],
    "piece": lambda r, b, s: r.choice("KQRBN") + s.lstrip("KQRBN"),
    "no-capture-sign": lambda r, b, s: s.replace("x", ""),
    "capture-sign": lambda r, b, s: s if "x" in s or s[0] not in "QRBNK" else s[0] + "x" + s[1:],
    "no-check-sign": lambda r, b, s: s.rstrip("+#"),
    "check-sign": lambda r, b, s: s.rstrip("+#") + r.choice("+#"),
    "castle": lambda r, b, s: r.choice(["O-O", "O-O-O"]),
    "noughts": lambda r, b, s: s.replace("O", "0"),
    "no-equals": lambda r, b, s: s.replace("=", ""),
    "origin": lambda r, b, s: s[0] + r.choice("abcdefgh12345678") + s[1:] if s[0] in "QRBN" else s,
    "long": lambda r, b, s: s[0] + chess.square_name(b.parse_san(s).from_square) + s[1:] if s[0] in "QRBN" and len(s.rstrip("+#")) == 3 else s,
    "squares": lambda r, b, s: b.parse_san(s).uci(),
    "other-move": lambda r, b, s: b.san(r.choice(list(b.pseudo_legal_moves))) if any(b.pseudo_legal_moves) else s,
}


def game(r, number):
    """A random game with one mutated word: start FEN, words, mutation, half-moves that python-chess can play."""
    board = chess.Board.from_chess960_pos(number)
    start, words, length = board.fen(), [], r.randint(4, 90)
    while len(words) < length and not board.is_game_over(claim_draw=False):
        moves = list(board.legal_moves)
        castlings = [m for m in moves if board.is_castling(m)]
        move = r.choice(castlings) if castlings and r.random() < 0.5 else r.choice(moves)
        words.append(board.san(move))
        board.push(move)
    kind, at = r.choice(list(MUTATIONS)), r.randrange(len(words))
    board = chess.Board(start, chess960=True)
    for word in words[:at]:
        board.push_san(word)
    try:
        words[at] = MUTATIONS[kind](r, board, words[at])
    except (ValueError, AssertionError):
        kind = "none"
    return start, words, kind, at, playable(start, words)


def playable(start, words):
    """How many half-moves python-chess can play; the end by rule is not its business."""
    board = chess.Board(start, chess960=True)
    for played, word in enumerate(words):
        try:
            board.push(board.parse_san(word))
        except ValueError:
            return played
    return len(words)


def known(kind, word, ours, theirs):
    """Why a difference is wanted, if it is."""
    if kind == "squares" and ours > theirs:
        return "two squares are read as in UCI"
    if word[:1] in "abcdefgh" and "x" not in word and theirs > ours:
        return "a pawn capture needs its file"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=960)
    parser.add_argument("--command", default="draw960 validate --json -")
    options = parser.parse_args()
    r = random.Random(options.seed)
    games = [game(r, r.randrange(960)) for _ in range(options.games)]
    text = "".join(f'[Event "{n}"]\n[SetUp "1"]\n[FEN "{g[0]}"]\n\n{" ".join(g[1])} *\n\n' for n, g in enumerate(games))
    output = subprocess.run(shlex.split(options.command), input=text, capture_output=True, text=True).stdout
    reports = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if len(reports) != len(games):
        sys.exit(f"{len(games)} games went in, {len(reports)} reports came out")
    wanted, unwanted, mutated = Counter(), 0, Counter()
    for n, ((start, words, kind, at, theirs), report) in enumerate(zip(games, reports)):
        mutated[kind] += 1
        ours = report["plies"]
        if ours == theirs:
            continue
        why = known(kind, words[at], ours, theirs)
        if why:
            wanted[why] += 1
            continue
        unwanted += 1
        print(f"game {n}: {kind} at half-move {at + 1} ({words[at]}): draw960 {ours}, python-chess {theirs} half-moves")
        print(f"  {start}\n  {' '.join(words)}")
        for finding in report["findings"]:
            print(f"  {finding['severity']}: {finding['message']}")
    print(f"{len(games)} games, {dict(mutated)}; wanted differences {dict(wanted)}; unexplained {unwanted}")
    sys.exit(1 if unwanted else 0)


if __name__ == "__main__":
    main()
