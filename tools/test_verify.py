#!/usr/bin/env python3
"""Runs the independent verifiers over the published vectors: verify_draw.py, verify.js under node, openssl by the docs.

All must recompute every draw and notice every change. Run from anywhere: python3 tools/test_verify.py
"""

import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VECTORS = json.loads((ROOT / "tests/vectors/derivation.json").read_text())
DOCS = (ROOT / "docs/draw-derivation.md").read_text()
NODE_DRIVER = """
import { verifyDraw, sha256, backRank } from "./verify.mjs";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
for (let n = 0; n < 300; n++) {
  const bytes = Uint8Array.from({ length: n }, (_, i) => i * n);
  if (Buffer.from(sha256(bytes)).toString("hex") !== createHash("sha256").update(bytes).digest("hex")) throw n;
}
const documents = JSON.parse(readFileSync(0, "utf8"));
const ranks = Array.from({ length: 960 }, (_, n) => backRank(n));
console.log(JSON.stringify({ ranks, verdicts: documents.map((document) => verifyDraw(JSON.stringify(document))) }));
"""


def position(vector):
    """A vector as the API shows a released position."""
    slot = {"event": VECTORS["event"], **{key: vector[key] for key in ("round", "board", "attempt")}}
    draw = {"id": "drw_test", "origin": VECTORS["origin"], "slot": slot, "sources": vector["sources"]}
    draw |= {"excluded": vector["exclude"], "repeats": vector["repeats"], "commitment": vector["commit"]}
    draw |= {"secret": vector["slot_secret"], "receipt": "not read here"}
    if "throws" in vector:
        draw |= {"throws": vector["throws"], "throws_commitment": vector["throws_commit"], "entropy": [], "used": []}
    else:
        draw |= {key: vector[key] for key in ("entropy", "used", "seed")} | {"words_used": len(vector["words"])}
    return {"number": vector["position"], "rank": vector["row"], "draw": draw}


def changed(document, path, value):
    copied = copy.deepcopy(document)
    at = copied
    for key in path[:-1]:
        at = at[key]
    assert at[path[-1]] != value, path
    at[path[-1]] = value
    return copied


def forgeries(document):
    """Changes that a verifier must notice: (document, expected verdict)."""
    manual = "throws" in document["draw"]
    differs = [
        (["draw", "origin"], "draw.example.org/3f1c9a21"),
        (["draw", "slot", "event"], "kaunas-2026-opem"),
        (["draw", "slot", "round"], 9),
        (["draw", "slot", "board"], 9),
        (["draw", "slot", "attempt"], 9),
        (["draw", "excluded"], [3]),
        (["draw", "secret"], "0" * 64),
        (["draw", "commitment"], "0" * 64),
    ]
    if manual:
        differs += [(["draw", "throws"], "1,1,1,1,1"), (["draw", "throws_commitment"], "0" * 64)]
    else:
        differs += [(["number"], 9), (["rank"], "RNBKQBNR"), (["draw", "seed"], "0" * 64), (["draw", "words_used"], 99)]
    unreadable = [
        (["draw", "origin"], "a b"),
        (["draw", "slot", "event"], "kaunas\nround 1"),
        (["draw", "slot", "round"], 0),
        (["draw", "slot", "round"], "1"),
        (["draw", "sources"], []),
        (["draw", "sources"], ["none", "dice d10"]),
        (["draw", "sources"], ["none\n"]),
        (["draw", "excluded"], [960]),
        (["draw", "repeats"], "sometimes"),
        (["draw", "secret"], "0" * 63),
        (["draw", "secret"], "A" * 64),
    ]
    if not manual:
        unreadable += [(["draw", "entropy"], []), (["draw", "entropy"], ["dice 123"]), (["draw", "used"], [-1])]
    yield from ((changed(document, path, value), "differs") for path, value in differs)
    yield from ((changed(document, path, value), "unreadable") for path, value in unreadable)
    without = copy.deepcopy(document)
    del without["draw"]["commitment"]
    yield without, "unreadable"


def cases():
    for vector in VECTORS["vectors"]:
        yield position(vector), "agrees"
        yield position(vector)["draw"], "agrees"
        yield from forgeries(position(vector))
    yield position(VECTORS["manual"]), "manual"
    yield from forgeries(position(VECTORS["manual"]))
    yield {}, "unreadable"
    yield {"draw": None}, "unreadable"


def test_python(all_cases):
    statuses = {"agrees": 0, "differs": 1, "unreadable": 2, "manual": 3}
    sys.path.insert(0, str(ROOT / "tools"))
    import verify_draw

    for document, verdict in all_cases:
        run = subprocess.run(
            [sys.executable, ROOT / "tools/verify_draw.py", "-"],
            input=json.dumps(document), capture_output=True, text=True, check=False,
        )
        assert run.returncode == statuses[verdict], (document, verdict, run)
        assert "Traceback" not in run.stderr, run.stderr
    for low in VECTORS["low_level"]:
        words = verify_draw.chacha20_words(bytes.fromhex(low["seed"]))
        assert [f"{next(words):08x}" for _ in low["words"]] == low["words"]
    return [verify_draw.back_rank(n) for n in range(960)]


def test_node(all_cases, ranks):
    node = shutil.which("node")
    assert node, "node is needed for this test"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "assets/verify.js", pathlib.Path(folder, "verify.mjs"))
        pathlib.Path(folder, "driver.mjs").write_text(NODE_DRIVER)
        documents = json.dumps([document for document, _ in all_cases])
        run = subprocess.run(
            [node, "driver.mjs"], cwd=folder, input=documents, capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["ranks"] == ranks and len(set(ranks)) == 960
    for (document, verdict), found in zip(all_cases, answer["verdicts"], strict=True):
        assert found["verdict"] == verdict, (document, verdict, found)
        if verdict == "agrees" and "number" in document:
            assert (found["number"], found["rank"]) == (document["number"], document["rank"])


def block(name):
    return re.search(rf"```\w+ {name}\n(.*?)```", DOCS, re.DOTALL).group(1)


def shell(values):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", values + block("recipe")], capture_output=True, text=True, check=False)


def test_openssl():
    sample = shell(block("values"))
    assert sample.stdout == block("printed"), sample
    for vector in VECTORS["vectors"]:
        fields = {key: VECTORS[key] for key in ("origin", "event")} | {key: vector[key] for key in ("round", "board", "attempt", "repeats")}
        fields |= {"sources": "\n".join(vector["sources"]), "entropy": "\n".join(vector["entropy"]), "secret": vector["slot_secret"]}
        fields |= {"excluded": " ".join(map(str, vector["exclude"])), "used": " ".join(map(str, vector["used"]))}
        run = shell("".join(f"{key}='{value}'\n" for key, value in fields.items()))
        lines = [f"commitment {vector['commit']}", f"seed       {vector['seed']}"]
        lines += [f"number     {vector['position']} after {len(vector['words'])} words"]
        assert run.stdout.splitlines() == lines, (vector["name"], run)


if __name__ == "__main__":
    every_case = list(cases())
    python_ranks = test_python(every_case)
    test_node(every_case, python_ranks)
    test_openssl()
    print(f"{len(every_case)} documents and {len(VECTORS['vectors'])} openssl recipes: all verifiers agree")
