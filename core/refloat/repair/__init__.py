"""Plans the repair of a transcript that its agent can no longer load, and makes the bytes of a repaired copy.

`pieces` reads damaged lines, `frame` says what a repairer of one agent offers, one package an agent holds what that
agent can load, `place` writes a new file. The original is opened for reading alone, and nothing here opens it twice.
"""
