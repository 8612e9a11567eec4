"""The recovery wizard: seven pages that fill themselves from evidence. Its state is `refloat.usecases.recover`."""
