# A server that Debian packages; its folder has a `start` and its configuration.
FROM debian:trixie-slim
ARG PACKAGES
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install ${PACKAGES}
ARG PROGRAM
COPY servers/shared/start-debian servers/${PROGRAM} /server/
ENV PORT=8080 DOCROOT=/srv/www BACKLOG=10000 THREADS=256
EXPOSE 8080
USER 65534:65534
ENTRYPOINT ["/server/start"]
