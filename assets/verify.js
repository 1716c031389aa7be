// Recomputes a released draw960 draw, in any browser or in node, without the server and without WebCrypto, which a page
// over plain HTTP does not have. Written from docs/draw-derivation.md alone; shares no code with the server.
//
//   import { verifyDraw } from "./verify.js";
//   verifyDraw(json)   the JSON of a released position or of its "draw", as text or object
//   -> { verdict: "agrees" | "differs" | "manual" | "unreadable", why, number, rank, fen, checks: [{ what, found, published, agrees }] }

// SHA-256 (FIPS 180-4). Its constants are the first 32 fractional bits of roots of primes, so they are computed.
const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((p) => n % p)) PRIMES.push(n);

function fractionOfRoot(prime, degree) {
  const scaled = BigInt(prime) << (32n * degree);
  let root = 0n;
  for (let bit = 1n << 40n; bit; bit >>= 1n) if ((root + bit) ** degree <= scaled) root += bit;
  return Number(root & 0xffffffffn);
}

const ROUND_CONSTANTS = PRIMES.map((prime) => fractionOfRoot(prime, 3n));
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionOfRoot(prime, 2n));

const right = (x, n) => (x >>> n) | (x << (32 - n));

function compress(state, words) {
  const w = [...words];
  for (let i = 16; i < 64; i++) {
    const low = right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const high = right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = (w[i - 16] + low + w[i - 7] + high) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + choice + ROUND_CONSTANTS[i] + w[i]) | 0;
    const second = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((value, i) => (value + state[i]) | 0);
}

export function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  let state = INITIAL;
  for (let at = 0; at < padded.length; at += 64) {
    state = compress(state, Array.from({ length: 16 }, (_, i) => view.getInt32(at + 4 * i)));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((value, i) => digest.setInt32(4 * i, value));
  return new Uint8Array(digest.buffer);
}

const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const ascii = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

// HMAC (RFC 2104) and one block of HKDF (RFC 5869).
export function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(join(block.map((byte) => byte ^ 0x36), message));
  return sha256(join(block.map((byte) => byte ^ 0x5c), inner));
}

export const hkdf = (key, salt, info) => hmac(hmac(salt, key), join(info, [1]));

// ChaCha20 (RFC 8439): the keystream under nonce 0, from counter 0, as little-endian words.
export function* chacha20Words(key) {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const keyWords = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i, true));
  for (let counter = 0; ; counter++) {
    const start = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...keyWords, counter, 0, 0, 0];
    const s = [...start];
    const step = (x, y, z, turn) => {
      s[x] = (s[x] + s[y]) | 0;
      s[z] = right(s[z] ^ s[x], 32 - turn);
    };
    const quarter = (a, b, c, d) => (step(a, b, d, 16), step(c, d, b, 12), step(a, b, d, 8), step(c, d, b, 7));
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) quarter(i, 4 + i, 8 + i, 12 + i);
      for (let i = 0; i < 4; i++) quarter(i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
    }
    yield* s.map((word, i) => (word + start[i]) >>> 0);
  }
}

// Scharnagl's numbering.
export function backRank(number) {
  const rank = Array(8).fill("");
  const put = (nth, piece) => (rank[[...rank.keys()].filter((file) => !rank[file])[nth]] = piece);
  rank[(number % 4) * 2 + 1] = "B";
  rank[(Math.floor(number / 4) % 4) * 2] = "B";
  put(Math.floor(number / 16) % 6, "Q");
  let [first, second, pairs] = [0, 1, Math.floor(number / 96)];
  for (; pairs > 0; pairs--) second < 4 ? second++ : (first++, (second = first + 1));
  put(second, "N");
  put(first, "N");
  [..."RKR"].forEach((piece) => put(0, piece));
  return rank.join("");
}

class Unreadable extends Error {}

function demand(holds, why) {
  if (!holds) throw new Unreadable(why);
}

const has = (text, form) => typeof text === "string" && form.test(text);
const within = (n, low, high) => Number.isInteger(n) && n >= low && n <= high;
const areNumbers = (list) => Array.isArray(list) && list.every((n) => within(n, 0, 959));

const DRAND = "drand [0-9a-f]{64} [1-9][0-9]{0,19}";
const SOURCES = new RegExp(`^(none|${DRAND}|dice d10|${DRAND} and dice d10|manual [a-z0-9-]{1,32})$`);
const ENTROPY = { none: /^none$/, drand: /^drand [0-9a-f]{96}$/, dice: /^dice [0-9]{20}$/ };

function slotText({ origin, slot }) {
  demand(has(origin, /^[!-*,-~]{1,128}$/), "origin");
  demand(slot && has(slot.event, /^[a-z0-9][a-z0-9-]{2,62}$/), "event");
  demand(within(slot.round, 1, 9999) && within(slot.board, 0, 9999) && within(slot.attempt, 1, 99), "slot");
  const { event, round, board, attempt } = slot;
  return `draw960/v1\nlog ${origin}\nevent ${event}\nround ${round}\nboard ${board}\nattempt ${attempt}\n`;
}

function termsText({ sources, excluded, repeats }) {
  demand(Array.isArray(sources) && has(sources.join(" and "), SOURCES) && !sources[0].includes(" and "), "sources");
  demand(areNumbers(excluded), "excluded");
  demand(repeats === "allowed" || repeats === "never", "repeats");
  const bits = new Uint8Array(120);
  for (const n of excluded) bits[n >> 3] |= 0x80 >> (n & 7);
  return sources.map((source) => `source ${source}\n`).join("") + `exclude ${hex(bits)}\nrepeats ${repeats}\n`;
}

function entropyText({ sources, entropy }) {
  const kind = (source) => ENTROPY[source.split(" ")[0]];
  demand(Array.isArray(entropy) && entropy.length === sources.length, "entropy");
  demand(entropy.every((line, i) => has(line, kind(sources[i]))), "entropy");
  return entropy.map((line) => `entropy ${line}\n`).join("");
}

function skippedNumbers({ excluded, used, repeats }) {
  demand(areNumbers(used) && (repeats === "never" || used.length === 0), "used");
  const skipped = new Set([...excluded, ...used]);
  demand(skipped.size < 960, "no number is left");
  return skipped;
}

function recompute(draw) {
  const slot = slotText(draw);
  const terms = termsText(draw);
  demand(has(draw.secret, /^[0-9a-f]{64}$/), "secret");
  const secret = unhex(draw.secret);
  const commitment = hex(sha256(join(ascii(`draw960/v1 commit\n${slot}${terms}`), secret)));
  if (draw.sources[0].startsWith("manual ")) {
    demand(has(draw.throws, /^[!-~]+$/), "throws");
    const text = `draw960/v1 manual\n${slot}commit ${commitment}\nthrows ${draw.throws}\n`;
    return { commitment, throws_commitment: hex(sha256(join(ascii(text), secret))) };
  }
  const info = `${slot}${terms}commit ${commitment}\n${entropyText(draw)}`;
  const seed = hkdf(secret, ascii("draw960/v1 seed"), ascii(info));
  return { commitment, seed: hex(seed), ...firstAllowed(seed, skippedNumbers(draw)) };
}

function firstAllowed(seed, skipped) {
  let words_used = 0;
  for (const word of chacha20Words(seed)) {
    words_used++;
    const number = word & 1023;
    if (number < 960 && !skipped.has(number)) {
      const rank = backRank(number);
      return { words_used, number, rank, fen: `${rank.toLowerCase()}/pppppppp/8/8/8/8/PPPPPPPP/${rank} w KQkq - 0 1` };
    }
  }
}

/** What the published values of a draw lead to, and whether that is what was published. */
export function verifyDraw(json) {
  try {
    const outer = typeof json === "string" ? JSON.parse(json) : json;
    demand(outer && typeof outer === "object", "not a JSON object");
    const draw = outer.draw ?? outer;
    const published = { ...draw, ...outer };
    demand(draw.commitment !== undefined, "commitment");
    const found = recompute(draw);
    const checks = Object.entries(found).filter(([what]) => published[what] !== undefined && published[what] !== null);
    const results = checks.map(([what, value]) => ({ what, found: value, published: published[what], agrees: published[what] === value }));
    const agrees = results.every((check) => check.agrees);
    const verdict = !agrees ? "differs" : found.seed ? "agrees" : "manual";
    return { verdict, why: null, number: found.number, rank: found.rank, fen: found.fen, checks: results };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError || error instanceof TypeError) {
      return { verdict: "unreadable", why: error.message, number: undefined, rank: undefined, fen: undefined, checks: [] };
    }
    throw error;
  }
}
