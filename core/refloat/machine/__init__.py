"""The real doors: the only code that asks the operating system anything."""
