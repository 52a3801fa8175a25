# A server written in Go; its folder has the source and a `start`.
FROM debian:trixie-slim AS build
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install golang-go
ARG PROGRAM
COPY servers/shared/build-go /src/
COPY servers/${PROGRAM} /src/server
RUN /src/build-go /src/server

FROM debian:trixie-slim
ENV PORT=8080 DOCROOT=/srv/www BACKLOG=10000 THREADS=256
EXPOSE 8080
USER 65534:65534
ENTRYPOINT ["/server/start"]
COPY --from=build /src/server/start /src/server/target/server /server/
