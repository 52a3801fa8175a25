# Our own load generator, built with Debian's Rust.
FROM debian:trixie-slim AS build
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install cargo
# Cargo must trust whom the host trusts, as Maven in jvm.Dockerfile.
COPY generators/open-load /src
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt,required=false \
    --mount=type=cache,id=ab-runner-cargo,target=/root/.cargo,sharing=locked \
    cargo build --release --locked --manifest-path /src/Cargo.toml

FROM debian:trixie-slim
USER 65534:65534
ENTRYPOINT ["open-load"]
COPY --from=build /src/target/release/open-load /usr/local/bin/
