"""A small repository and sessions in every state, to try Refloat on."""
