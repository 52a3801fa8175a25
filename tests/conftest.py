"""Settings for all tests: property tests always try the same examples, and none has a deadline. Signals are heard."""

import signal

from hypothesis import settings

# A job in the background and nohup have these ignored, and so would the sweeps have that tests interrupt.
for _number, _action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _action)

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")
