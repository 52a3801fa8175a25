"""The program that runs beside a server, in a container of its own, for a runner that may be on another machine: it
relays connections, watches trials and tells facts. Standard library only, as all that it imports: its image has Python
and these few modules (docker/agent.Dockerfile)."""
