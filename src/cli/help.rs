//! What stands under the options of each command: examples, and what the exit status says.

pub const ALL: &str = "\
Examples:
  draw960                                   serve on http://127.0.0.1:9600 with ./data
  draw960 demo                              see the main job done
  draw960 help validate                     all about one command

Exit status: 0 done, 1 it failed and standard error says why, 2 the command line is wrong;
validate and verify also tell the outcome by it, see their help.";

pub const SERVE: &str = "\
Examples:
  draw960 serve
  draw960 serve --listen 0.0.0.0:9600 --data /var/lib/draw960 --require-existing

The first start prints the operator's token, once. SIGINT or SIGTERM stops the server within five seconds.
Exit status: 0 stopped by a signal, 1 it could not start, 2 the command line is wrong.";

pub const TOKEN: &str = "\
Examples:
  draw960 token                             a new token; all earlier ones are void at once
  draw960 token --list

Exit status: 0 done, 1 there is no database of a server in the folder, 2 the command line is wrong.";

pub const BACKUP: &str = "\
Examples:
  draw960 backup /backups/draw960-$(date +%F).db
  draw960 backup --with-keys /media/stick/draw960-$(date +%F).custody

The plain copy alone can release nothing: keep the key file too, elsewhere. The copy with keys is under a passphrase, and
draw960 takeover goes on from it.
Exit status: 0 the copy is complete, 1 nothing was written under that name, 2 the command line is wrong.";

pub const RECOVER: &str = "\
Examples:
  draw960 recover --bundle http://192.168.1.20:9600 --slug kaunas-2026-open
  draw960 recover --bundle bundle.json      whoever asked for it last has the most
  draw960 recover --new-origin              nobody has one: every draw that waits is voided

The server is stopped, an older copy of its database lies in the folder, with the key file and the newest draw960.highwater.
Exit status: 0 the server can start, 1 nothing was changed or it is still read-only, 2 the command line is wrong.";

pub const CHANGE_KEY: &str = "\
Example:
  draw960 change-key --data /var/lib/draw960

The server is stopped. Make a backup afterwards: older ones hold the old key.
Exit status: 0 the new key has signed, 1 it has not, 2 the command line is wrong.";

pub const EXPORT: &str = "\
Example:
  draw960 export --tournament kaunas-2026-open /media/stick/kaunas.sheet

With the sheet and a bundle of the log, draw960 complete completes a draw if the server dies.
Exit status: 0 the sheet is written, 1 it is not and standard error says why, 2 the command line is wrong.";

pub const COMPLETE: &str = "\
Example:
  draw960 complete --sheet kaunas.sheet --bundle bundle.json --round 3 --beacon b75c69d0…

Not before the release instant. Keep bundles: what the server wrote after the bundle was taken cannot be known from it.
Exit status: 0 completed, 1 it cannot be and standard error says why, 2 the command line is wrong.";

pub const TAKEOVER: &str = "\
Examples:
  draw960 takeover /media/stick/draw960-3f1c9a20.custody
  draw960 takeover --witness http://192.168.1.20:9601 --checkpoint kept.txt --data hall2 /media/stick/draw960-3f1c9a20.custody

Only when the old machine will never serve again. Give every witness and every kept checkpoint there is: they tell whether
the copy is the newest state.
Exit status: 0 the data folder holds the server, 1 it holds none and standard error says why, 2 the command line is wrong.";

pub const VERIFY: &str = "\
Examples:
  draw960 verify http://127.0.0.1:9600 --slug kaunas-2026-open --log-key 'draw960.local/3f1c9a20+f43dae3f+AVjr…'
  draw960 verify bundle.json --log-key '…' --checkpoint kept.txt

Exit status: 0 nothing that can be checked is wrong, 1 something is, 2 something cannot be read or fetched.";

pub const STATISTICS: &str = "\
Examples:
  draw960 statistics
  draw960 statistics --json > statistics.json   with the counts of all 960 numbers

Exit status: 0 shown, whatever it says, 1 there is no database in the folder, 2 the command line is wrong.";

pub const WITNESS: &str = "\
Example:
  draw960 witness --listen 0.0.0.0:9601 --data witness --log \"$(curl -s http://SERVER:9600/api/v1/log/vkey)\"

It prints its own key: for the settings of the server, the regulations, and draw960 verify --witness.
Exit status: 0 stopped by a signal, 1 it could not start, 2 the command line is wrong.";

pub const POSITION: &str = "\
Examples:
  draw960 position 518
  draw960 position RNBQKBNR
  draw960 position 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'

Exit status: 0 shown, 1 it is none of the 960, 2 the command line is wrong.";

pub const VALIDATE: &str = "\
Examples:
  draw960 validate examples/round3.pgn
  draw960 validate --json *.pgn > reports.jsonl

Exit status: 0 no finding is an error, 1 some finding is, 2 a file cannot be read or holds no game, or the command
line is wrong.";

pub const CASTLING: &str = "\
Example:
  draw960 castling '4k3/8/8/8/8/8/8/rR2K1N1 w B - 0 1'

Exit status: 0 explained, 1 the FEN is no legal position, 2 the command line is wrong.";

pub const DEMO: &str = "\
It takes a few seconds, needs no network, and leaves nothing behind.
Exit status: 0 everything went as told, 1 something did not.";

pub const HEALTH: &str = "\
Example:
  draw960 health --listen 127.0.0.1:9600

Exit status: 0 ready, 1 not ready or no answer within 4 s, 2 the command line is wrong.";
