"""Settings for all tests: property tests always try the same examples, and none has a deadline."""

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")
