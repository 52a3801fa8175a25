# The runner's agent beside a server: Python, and those modules of the runner that need nothing else.
FROM debian:trixie-slim
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install python3
ENV PYTHONPATH=/agent PYTHONUNBUFFERED=1
COPY src/ab_runner/__init__.py /agent/ab_runner/
COPY src/ab_runner/host/__init__.py src/ab_runner/host/cooldown.py src/ab_runner/host/facts.py \
    src/ab_runner/host/procfs.py /agent/ab_runner/host/
COPY src/ab_runner/monitor/__init__.py src/ab_runner/monitor/accounting.py src/ab_runner/monitor/readings.py \
    src/ab_runner/monitor/watch.py /agent/ab_runner/monitor/
COPY src/ab_runner/agent /agent/ab_runner/agent
RUN python3 -m compileall -q /agent
# Neither a server's user nor anybody's on the machine: it sees the machine's processes, and can do nothing to them.
USER 65532:65532
ENTRYPOINT ["sleep", "infinity"]
