import signal
import sys

# Until there is somebody to catch it, Ctrl-C ends without a traceback.
_handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
from ab_runner.cli.main import main  # noqa: E402

signal.signal(signal.SIGINT, _handler)
sys.exit(main())
