"""The words of the design as frozen values. No input, no output, no opinion of how they look."""
