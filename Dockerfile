# The API, the web UI and the workers of Assay. docs/how-to/run-in-containers.md says how to use it.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
WORKDIR /src
COPY requirements/ requirements/
RUN python3 -m venv /opt/uv && python3 -m venv --without-pip /opt/assay \
 && /opt/uv/bin/pip install --quiet --no-cache-dir --require-hashes --requirement requirements/uv.txt \
 && /opt/uv/bin/uv pip install --no-cache --python /opt/assay --compile-bytecode --require-hashes \
    --requirement requirements/assay.txt
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY ui/ ui/
COPY src/ src/
# The version that the image says it is, for a build without the history of the source.
ARG ASSAY_BUILD_VERSION
RUN /opt/uv/bin/uv pip install --no-cache --python /opt/assay --compile-bytecode --no-deps .

FROM ${BASE}
# Confines the programs of models where the engine allows user namespaces.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/assay /opt/assay
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data assay \
 && install --directory --owner=assay --group=assay --mode=0700 /data
ENV PATH=/opt/assay/bin:$PATH ASSAY_HOME=/data ASSAY_HOST=0.0.0.0 PYTHONDONTWRITEBYTECODE=1
USER assay
VOLUME /data
EXPOSE 8017
# For the API; the Compose files ask a worker at its `--health-port`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD python3 -c "import urllib.request as r; r.urlopen('http://127.0.0.1:${ASSAY_PORT:-8017}/api/health', timeout=4)"
ENTRYPOINT ["assay"]
CMD ["up"]
