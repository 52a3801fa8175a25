import sys

from ab_runner.cli.main import main

sys.exit(main())
