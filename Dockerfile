# arena in a container: what it holds and how it isolates is told in docs/container.md.

# A tag of one Python and one Debian, which gets their security fixes by building anew. Whoever needs equal bytes
# passes the digest that was tried: --build-arg BASE=python@sha256:...
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
WORKDIR /source
COPY requirements/build.txt requirements/run.txt requirements/
# all that is fetched is fetched here, and must have its known hash; the environment gets no pip of its own
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt \
    && python -m venv --without-pip /opt/arena \
    && /opt/build/bin/pip wheel --no-cache-dir --no-build-isolation --require-hashes -r requirements/run.txt -w /wheels \
    && /opt/build/bin/pip --python /opt/arena install --no-index --no-deps /wheels/*.whl
COPY pyproject.toml README.md LICENSE SECURITY.md CHANGELOG.md protocol.md ./
COPY arena arena
COPY bots bots
COPY docs docs
COPY examples/night-nets examples/night-nets
COPY examples/king-of-the-hill examples/king-of-the-hill
RUN /opt/build/bin/python -m hatchling build -t wheel -d /built \
    && /opt/build/bin/pip --python /opt/arena install --no-index --no-deps /built/*.whl

FROM ${BASE}
COPY --from=build /opt/arena /opt/arena
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent arena
# where bots are built, if any are: the only place beside /league that need be writable is /tmp
ENV PATH=/opt/arena/bin:$PATH XDG_CACHE_HOME=/tmp/cache
USER 10001:10001
WORKDIR /league
ENTRYPOINT ["arena"]
CMD ["--help"]
