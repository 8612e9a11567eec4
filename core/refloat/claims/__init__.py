"""What an agent says about its work: the sentences that claim something was done or holds.

Decides by rule what is a claim and of which kind; the rules are data, one file a language. Precision comes first: the
future, questions, conditions, quotes, doubt, negations and orders are none. Refuses to decide whether a claim is true
(`triage.claims` does that, against the record), and knows no session.
"""

from refloat.claims.find import find_claims, find_done

__all__ = ("find_claims", "find_done")
