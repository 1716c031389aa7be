# Build: everything is compiled in, migrations, pages and time zones included.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# The caches live in the builder, not in the image: a second build compiles only what changed.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --bin draw960 && cp target/release/draw960 /draw960

# Run: the binary alone, as nobody in particular.
FROM debian:bookworm-slim
RUN useradd --system --uid 9600 --home-dir /data --shell /usr/sbin/nologin draw960 \
    && install -d -o 9600 -g 9600 -m 0700 /data
COPY --from=build /draw960 /usr/local/bin/draw960
USER 9600:9600
# draw960.db and draw960.key: keep this volume, and a copy of each file elsewhere.
VOLUME /data
ENV DRAW960_DATA=/data DRAW960_LISTEN=0.0.0.0:9600
EXPOSE 9600
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s --retries=3 CMD ["draw960", "health"]
ENTRYPOINT ["draw960"]
CMD ["serve"]
