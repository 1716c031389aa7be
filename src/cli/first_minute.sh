## Printed at the first start with address and token filled in; performed by tests/walk.sh.
D960=@URL@/api/v1 OPERATOR=@TOKEN@
T=rehearsal-$(date +%s)
START=$(date -u -d '+10 seconds' +%FT%TZ 2>/dev/null || date -u -v+10S +%FT%TZ)
send() { curl -sS -w '\n\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }

echo "--- 1. Schedule: a rehearsal with a round in ten seconds. Its draw is committed to at once; no number exists yet"
TOKEN=$OPERATOR
MADE=$(send $D960/tournaments -d '{"name": "Rehearsal", "slug": "'$T'", "time_zone": "UTC",
  "policy": {"rehearsal": true, "custom_lead": true, "lead_minutes": 0},
  "rounds": [{"number": 1, "starts_at": "'$START'"}]}')
echo "$MADE"
TOKEN=$(echo "$MADE" | grep -o 'd960_arb_[A-Za-z0-9_-]*')

echo "--- 2. Publish the pairings, and ask for the position too early: 403"
send -X PUT $D960/tournaments/$T/rounds/1/pairings -d '{"boards": [{"board": 1,
  "white": {"name": "Ana"}, "black": {"name": "Ben"}}]}'
curl -sS -i $D960/tournaments/$T/rounds/1/position; echo

echo "--- 3. Ten seconds later every board gets it, with the proof that it was not picked: 200"
sleep 11
curl -sS -i $D960/tournaments/$T/rounds/1/position; echo

echo "--- 4. Submit the game (this one is legal from each of the 960): it is replayed from the position that was drawn"
send $D960/tournaments/$T/games -d '{"round": 1, "board": 1, "notation": "san", "result": "1/2-1/2",
  "moves": ["e4", "e5", "d3", "d6", "a3", "a6"]}'

echo "--- 5. Audit: everything that happened, in order, each line in the log"
curl -sS $D960/tournaments/$T/rounds/1/history; echo
