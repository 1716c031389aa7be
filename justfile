# list the recipes
default:
    @just --list

# everything that has to pass
check:
    bash .ci/run

# start the server on ./data
run:
    cargo run --release

# the tests
test:
    cargo test

# accept changed snapshots after reading them
snapshots:
    cargo insta review

# the benchmarks
bench:
    cargo bench
