"""`python -m refloat_tui`: the same as `refloat`."""

from refloat_tui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
