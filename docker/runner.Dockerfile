# What a node of a swarm runs for a block: the runner, with the docker command for the engine whose socket it is given.
FROM debian:trixie-slim
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
        ca-certificates docker-cli docker-compose python3-venv
# Of the lock, what measuring needs: tables and charts are made where the sweep is stored.
COPY requirements/run.txt /tmp/
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt,required=false \
    sed -n '/^\(jinja2\|markupsafe\|msgspec\)==/,/[^\\]$/p' /tmp/run.txt > /tmp/needed.txt \
    && python3 -m venv /venv \
    && /venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes \
        --only-binary :all: --cert /etc/ssl/certs/ca-certificates.crt --requirement /tmp/needed.txt
COPY docker /ab-runner/docker
COPY fixtures /ab-runner/fixtures
COPY src /ab-runner/src
ENV PYTHONPATH=/ab-runner/src PYTHONUNBUFFERED=1
RUN /venv/bin/python -m compileall -q /ab-runner/src \
    && /venv/bin/python /ab-runner/fixtures/generate.py /ab-runner/fixtures/files
WORKDIR /ab-runner
ENTRYPOINT ["/venv/bin/python", "-m", "ab_runner.sweep.swarm"]
