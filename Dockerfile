# The image: the binary, the libraries that it needs, CA certificates, and nothing else. No shell.
#   docker build -t onceward .
#   docker run --read-only -v ./onceward.yaml:/etc/onceward/onceward.yaml:ro -v onceward:/var/lib/onceward -p 8080:8080 onceward
# store.url names a database under /var/lib/onceward, or a server. deploy/image.sh builds and tries it without Docker.
ARG BASE=debian:12-slim

FROM ${BASE} AS build
WORKDIR /onceward
COPY deploy/packages.sh deploy/packages.sh
RUN deploy/packages.sh build
COPY . .
ARG COMMIT=
# A directory for ccache, where the build is given one.
ARG CCACHE_DIR
RUN cmake --preset release -DONCEWARD_TESTS=OFF -DONCEWARD_COMMIT="${COMMIT}" \
    && cmake --build --preset release \
    && deploy/image_root.sh build/release/bin/onceward /image

FROM scratch
ARG COMMIT=
ARG VERSION=
LABEL org.opencontainers.image.title="onceward" \
      org.opencontainers.image.description="HTTP proxy that executes each Idempotency-Key once" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /image /
COPY --from=build --chown=65532:65532 /image/var/lib/onceward /var/lib/onceward
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
USER 65532:65532
WORKDIR /var/lib/onceward
EXPOSE 8080 9900
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["/usr/bin/onceward", "healthcheck", "-c", "/etc/onceward/onceward.yaml"]
ENTRYPOINT ["/usr/bin/onceward"]
CMD ["run", "-c", "/etc/onceward/onceward.yaml"]
