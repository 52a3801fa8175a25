# wrk, alone.
FROM debian:bookworm-slim
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install wrk
USER 65534:65534
ENTRYPOINT ["wrk"]
