#!/usr/bin/env bash
# Runs the recipe of docs/timestamps.md, as it stands there, against a time stamping authority made for the occasion.
# Needs openssl. Usage: tools/test_timestamp.sh
set -euo pipefail

doc=$(realpath "$(dirname "$0")/../docs/timestamps.md")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

recipe() { # recipe N: the N-th shell block of the document
    awk -v wanted="$1" '/^```sh$/ {n++; inside = n == wanted; next} /^```/ {inside = 0} inside' "$doc"
}

authority() { # a root, and a certificate that may stamp time and nothing else
    cat > tsa.cnf <<'CNF'
[stamp]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = local
[local]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
CNF
    openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out authority.pem -days 2 -subj '/CN=Test authority'
    openssl req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj '/CN=Test time stamps'
    openssl x509 -req -in tsa.csr -CA authority.pem -CAkey root.key -CAcreateserial -days 2 -extfile tsa.cnf \
        -extensions stamp -out tsa.pem
    echo 01 > serial
} > authority.log 2>&1

answer() {
    openssl ts -reply -config tsa.cnf -section local -queryfile checkpoint.tsq -signer tsa.pem -inkey tsa.key \
        -chain authority.pem -out checkpoint.tsr 2> answer.log
}

authority || { cat authority.log; exit 1; }
printf 'draw960.test/01234567\n3\nQ6Lv4se21dV7odXrflGcQe3/qKP4PcAvRJYiFU6IdvY=\n\n' > checkpoint.txt
bash -eu -c "$(recipe 1)"
answer || { cat answer.log; exit 1; }
bash -eu -c "$(recipe 2)" 2>&1 | grep -q "Verification: OK" || { echo "the stamp of the checkpoint is refused"; exit 1; }
sed -i 's/^3$/4/' checkpoint.txt
if bash -eu -c "$(recipe 2)" > altered.log 2>&1; then
    echo "the stamp of an altered checkpoint is accepted"
    exit 1
fi
grep -q 'imprint mismatch' altered.log || { cat altered.log; exit 1; }
echo "2 passed, 0 failed"
