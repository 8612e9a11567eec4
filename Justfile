# Every recipe is one line that anybody can type without just.

default:
    @just --list

run *args:
    uv run refloat {{args}}
