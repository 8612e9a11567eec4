"""The parts of screens. Each owns its state and its style; none reads a file or asks the machine."""
