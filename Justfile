# Every recipe is one line that anybody can type without just.

default:
    @just --list

# the app on this machine's sessions
run *args:
    uv run refloat {{args}}

# the app on an invented home
demo *args:
    uv run refloat demo {{args}}

test *args:
    uv run pytest {{args}}

lint:
    uv run ruff format --check . && uv run ruff check .

types:
    uv run basedpyright

# who may import whom
layers:
    uv run lint-imports

# what a machine can mend by itself
fix:
    uv run ruff check --fix . ; uv run ruff format .

# draw the pictures of the README anew (`just screenshots --check` compares)
screenshots *args:
    uv run python screenshots/take.py {{args}}

# print docs/keys.md from the table of actions
keys:
    uv run python docs/print_keys.py

# ratios against floors, in one run
bench *args:
    uv run python benchmarks/bench.py {{args}}

# a look at a large checkout against git status and git diff (`just bench-checkout --runs 9`)
bench-checkout *args:
    uv run python benchmarks/checkout.py {{args}}

# the record: its commands against a bare interpreter, and eight writers at once
bench-record *args:
    uv run python benchmarks/record.py {{args}}

# what a hook costs its agent
bench-hooks *args:
    uv run python benchmarks/hooks.py {{args}}

# the same beside other tools, from their public packages (`just bench-peers --size medium`)
bench-peers *args:
    uv run python benchmarks/peers.py {{args}}

# the history of one transcript of 2 GB
bench-long *args:
    uv run python benchmarks/long.py {{args}}

# how soon the app shows what changed, and what it takes while nothing does
bench-watch *args:
    uv run python benchmarks/watch.py {{args}}

# kill -9 at random instants, and full disks: what was saved must verify
kills *args:
    uv run python benchmarks/kills.py {{args}}

# precision and recall of the claims that are found in labelled sentences
claims *args:
    uv run python benchmarks/claims.py {{args}}

# the command in an environment without development packages
lean:
    uv run --isolated --no-dev refloat --version

# all that CI runs
check:
    bash .ci/run
