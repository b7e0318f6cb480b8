# docker build -t onceward . ; docker run --read-only -v ./onceward.yaml:/etc/onceward.yaml:ro -p 8080:8080 onceward
# The configuration has to name a store outside the image: redis://, or sqlite: on a mounted volume.
ARG BASE=debian:12-slim

FROM ${BASE} AS build
WORKDIR /onceward
COPY deploy/packages.sh deploy/packages.sh
RUN deploy/packages.sh build
COPY . .
RUN cmake --preset release -DONCEWARD_TESTS=OFF && cmake --build build/release \
    && strip build/release/bin/onceward \
    # The binary and the shared libraries that it needs, under the paths where the loader looks.
    && mkdir -p /image/usr/bin && cp build/release/bin/onceward /image/usr/bin/ \
    && ldd build/release/bin/onceward | grep -o '/[^ ]*' | xargs -I{} cp -L --parents {} /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
EXPOSE 8080 9900
ENTRYPOINT ["/usr/bin/onceward"]
CMD ["run", "-c", "/etc/onceward.yaml"]
