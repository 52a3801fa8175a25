# Every server written in Java. All of them are built together in one stage that
# knows nothing of PROGRAM or JDK, so that their images share it; but a server that
# needs a file that no registry has is built in a stage of its own, by MODULE.

# The JDK that they run on, and the suite of Debian's that has it.
ARG JDK=25
FROM debian:sid-slim AS suite-8
FROM debian:bookworm-slim AS suite-17
FROM debian:trixie-slim AS suite-25

# What tomcat-8.0-apr runs on, and no other server: the same for every JDK, as sid has
# only a 2.x, which cannot do it any more.
FROM debian:bookworm-slim AS tcnative
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install libtcnative-1 \
    && cp -L /usr/lib/*/libtcnative-1.so /usr/lib/

FROM suite-${JDK} AS jre
ARG JDK
# Java's packages link their manuals there, and slim images have no such folder.
# libapr1 and libssl3 are for libtcnative-1.
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && mkdir -p /usr/share/man/man1 \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
        openjdk-${JDK}-jre-headless libapr1 libssl3
COPY --from=tcnative /usr/lib/libtcnative-1.so /usr/lib/

# Nothing, unless the service has a build context of that name: the user's cache of
# files that no registry has. It is mounted, so that they are in no layer.
FROM scratch AS artifacts

# Always the newest JDK: it compiles for every release.
FROM suite-25 AS build
RUN --mount=type=cache,id=ab-runner-apt,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,id=ab-runner-apt-lists,target=/var/lib/apt/lists,sharing=locked \
    rm -f /etc/apt/apt.conf.d/docker-clean \
    && mkdir -p /usr/share/man/man1 \
    && apt-get -q update \
    && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install openjdk-25-jdk-headless maven
# Maven must trust whom the host trusts: downloads may pass a proxy whose CA only
# the host knows. Without the secret the bundle is the image's own; an empty one
# leaves the choice to Java.
COPY docker/TrustStore.java /src/docker/
# servers, or the folder servers of a study, which has the same parent and harness.
ARG SERVERS=servers
COPY servers/pom.xml /src/servers/
COPY servers/shared/harness /src/servers/shared/harness
COPY ${SERVERS} /src/${SERVERS}
ARG MODULE
RUN --mount=type=secret,id=ca,target=/etc/ssl/certs/ca-certificates.crt,required=false \
    --mount=type=cache,id=ab-runner-maven,target=/root/.m2,sharing=locked \
    --mount=type=bind,from=artifacts,target=/artifacts \
    if [ -s /etc/ssl/certs/ca-certificates.crt ]; then \
        java /src/docker/TrustStore.java /etc/ssl/certs/ca-certificates.crt /tmp/trust.p12 || exit; \
        export MAVEN_OPTS="-Djavax.net.ssl.trustStore=/tmp/trust.p12 -Djavax.net.ssl.trustStorePassword=changeit"; \
    fi \
    && mvn -B -q -Dstyle.color=never --strict-checksums -T 2 -f /src/${SERVERS}/pom.xml -Dartifacts=/artifacts \
        ${MODULE:+--projects "$MODULE" --also-make} -DskipTests package

FROM jre
ENV PORT=8080 DOCROOT=/srv/www BACKLOG=10000 THREADS=256
EXPOSE 8080
USER 65534:65534
ENTRYPOINT ["/server/start"]
ARG SERVERS=servers
ARG PROGRAM
COPY servers/shared/start-jvm /server/start
COPY --from=build /src/${SERVERS}/${PROGRAM}/target/lib /server/lib
COPY --from=build /src/${SERVERS}/${PROGRAM}/target/server.jar /server/server.jar
