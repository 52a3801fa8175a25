"""`python3 -m ab_runner.agent`, in the agent's container."""

from ab_runner.agent.program import main

main()
