#!/usr/bin/env bash
# The built binary from outside, as a newcomer and as a tournament uses it: the first minute as printed, real games, backup,
# restart. Needs bash, curl and python3. Usage: tests/walk.sh [BINARY]
set -euo pipefail

binary=$(realpath "${1:-target/debug/draw960}")
games=$(realpath "$(dirname "$0")/vectors/games/mainz-2009.pgn")
readme=$(realpath "$(dirname "$0")/../README.md")
folder=$(mktemp -d)
server=
passed=0 failed=0
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"

ok() { # ok NAME COMMAND...: the command succeeds
    local name=$1
    shift
    if "$@" > check.out 2>&1; then
        passed=$((passed + 1))
        echo "ok    $name"
    else
        failed=$((failed + 1))
        echo "FAIL  $name"
        sed 's/^/      /' check.out
    fi
}

says() { grep -qE -- "$2" "$1" || { echo "no line of $1 says $2:"; cat "$1"; false; }; } # says FILE PATTERN

start() { # start FILE: serve on a free port, print into FILE, find the address
    "$binary" serve --data data --listen 127.0.0.1:0 > "$1" 2> server.log &
    server=$!
    for _ in $(seq 100); do
        url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$1" | head -1) && curl -fsS "$url/readyz" > /dev/null 2>&1 && return
        sleep 0.1
    done
    cat "$1" server.log
    return 1
}

stop() { kill -TERM "$server" && wait "$server"; }

json() { python3 -c 'import json, sys; print(eval(sys.argv[1], {"a": json.load(sys.stdin)}))' "$1"; }

walk() { # the walk, cut out of what the server printed, is pasted into a shell
    sed -n '/Paste into another terminal/,/^The same as a story/p' first.txt | sed '1d;$d;s/^    //' > walk.sh
    bash -eu walk.sh > walk.out
}

real_game() { # real_game INDEX: the position is drawn from a pool of one number, the game's own
    python3 - "$games" "$1" > game.json <<'PY'
import json, re, sys
text = open(sys.argv[1]).read()
game = [g for g in re.split(r"(?=^\[Event )", text, flags=re.M) if g.strip()][int(sys.argv[2])]
fen = re.search(r'\[FEN "([^"]+)"', game).group(1)
json.dump({"pgn": game, "rank": fen.split("/")[7].split()[0]}, sys.stdout)
PY
    local slug="rehearsal-real-$1" rank number arbiter
    rank=$(json 'a["rank"]' < game.json)
    number=$(curl -fsS "$api/positions?rank=$rank" | json 'a["number"]')
    python3 - "$slug" "$number" > create.json <<'PY'
import datetime, json, sys
start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
json.dump({"name": "Real games", "slug": sys.argv[1], "time_zone": "UTC",
           "policy": {"rehearsal": True, "custom_lead": True, "lead_minutes": 0, "pool": [int(sys.argv[2])], "small_pool": True},
           "rounds": [{"number": 1, "starts_at": start.strftime("%Y-%m-%dT%H:%M:%SZ")}]}, sys.stdout)
PY
    arbiter=$(send "$operator" "$api/tournaments" -d @create.json | json 'a["tokens"]["arbiter"]')
    send "$arbiter" -X PUT "$api/tournaments/$slug/rounds/1/pairings" \
        -d '{"boards": [{"board": 1, "white": {"name": "A"}, "black": {"name": "B"}}]}' > /dev/null
    for _ in $(seq 60); do
        curl -fsS "$api/tournaments/$slug/rounds/1/position" > position.json 2> /dev/null && break
        sleep 0.2
    done
    [ "$(json 'a["number"]' < position.json)" = "$number" ] || return 1
    mv position.json "position-$1.json"
    python3 -c 'import json; print(json.dumps({"round": 1, "board": 1, "pgn": json.load(open("game.json"))["pgn"]}))' > submit.json
    send "$arbiter" "$api/tournaments/$slug/games" -d @submit.json > report.json
    cat report.json
    json 'a["verdict"]' < report.json | grep -qE "^legal"
}

readme() { # the requests of the README, with its round a week from now: accepted, sealed, paired, and no game yet
    python3 - "$readme" > readme.sh <<'PY'
import datetime, re, sys
text = open(sys.argv[1]).read().split("## The main job by example")[1]
day = (datetime.date.today() + datetime.timedelta(days=7)).isoformat()
for block in re.findall(r"```sh\n(.*?)```", text, re.S):
    print(re.sub(r"\d{4}-\d\d-\d\d(?=T10:00)", day, block) + "\necho")
PY
    API=$api OPERATOR=$operator bash -eu <<'SH' > readme.out
create=$(sed -n '1,/^echo$/p' readme.sh) && made=$(eval "$create")
echo "$made"
PAIRING=$(echo "$made" | grep -o 'd960_pai_[A-Za-z0-9_-]*')
eval "$(sed '1,/^echo$/d' readme.sh)"
SH
    says readme.out '"tokens"' && says readme.out 'HTTP/1.1 403' && says readme.out 'Jankauskas' && says readme.out 'position-sealed'
}

same_position() { curl -fsS "$url/api/v1/tournaments/rehearsal-real-0/rounds/1/position" | cmp - position-0.json; }

send() { # send TOKEN CURL-ARGUMENTS...
    local token=$1
    shift
    curl -fsS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"
}

ok "it starts without configuration" start first.txt
api=$url/api/v1
operator=$(grep -oE 'd960_opr_[A-Za-z0-9_-]+' first.txt | head -1)

ok "the printed walk runs" walk
ok "... the position is sealed before its instant" says walk.out '^HTTP/1.1 403'
ok "... and public after it" says walk.out '^HTTP/1.1 200'
ok "... the game is judged" says walk.out '"verdict": ?"legal'
ok "... the history is there" says walk.out 'release'

ok "the README's requests are good" readme

for index in 0 2 4 5; do
    ok "real game $index is legal from its own start position" real_game "$index"
done

ok "health says ready" "$binary" health --listen "${url#http://}"
ok "a second server on the folder is refused" bash -c "! '$binary' serve --data data --listen 127.0.0.1:0 2> second.err && grep -q 'another draw960' second.err"
ok "a backup of the running server" "$binary" backup copy.db --data data
ok "... is not overwritten" bash -c "! '$binary' backup copy.db --data data"
ok "a new operator token" bash -c "'$binary' token --data data | grep -q d960_opr_"
ok "... replaces the old one" bash -c "curl -s -H 'Authorization: Bearer $operator' '$api/tournaments' -d '{}' | grep -q unauthenticated"
ok "no token in the log" bash -c '! grep -q d960_ server.log'
ok "it stops cleanly" stop
ok "it starts again" start second.txt
ok "... and says where it is" says second.txt 'serving http://'
ok "... without a token" bash -c '! grep -q d960_ second.txt'
ok "it stops again" stop

mkdir restored && cp copy.db restored/draw960.db && cp data/draw960.key data/draw960.highwater restored/
mv data lost && mv restored data
ok "the backup serves" start third.txt
ok "... what was in it" same_position
ok "it stops a last time" stop
server=
ok "the demo ends well" "$binary" demo

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
