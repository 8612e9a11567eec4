"""Fakes of every port, a transcript builder and the conformance suite, for readers of others too."""
