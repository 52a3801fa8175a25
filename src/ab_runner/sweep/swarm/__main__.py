"""What a job's container runs."""

from ab_runner.sweep.swarm.job import main

main()
