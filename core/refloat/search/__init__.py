"""Full text over every session: words, queries, and an index that keeps tokens and no readable text."""
