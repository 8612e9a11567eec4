"""The real time. Decides nothing."""

from datetime import UTC, datetime

from refloat.model.stamp import Stamp, stamp_of


class SystemClock:
    """The machine's own clock, in UTC."""

    def now(self) -> Stamp:
        """The present moment."""
        return stamp_of(datetime.now(UTC))
