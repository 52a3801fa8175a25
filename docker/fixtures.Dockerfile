# Makes the files that every server serves, once, into a volume.
FROM debian:bookworm-slim
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install python3-minimal
# A new volume takes its owner from here.
RUN install -d -o 65534 -g 65534 /srv/www
COPY fixtures/generate.py fixtures/SHA256SUMS /fixtures/
USER 65534:65534
ENTRYPOINT ["python3", "/fixtures/generate.py", "/srv/www"]
