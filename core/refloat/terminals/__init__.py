"""Where a terminal is shown, and how one gets there: whose terminal is whose, and what multiplexers say and take. Pure.
"""
