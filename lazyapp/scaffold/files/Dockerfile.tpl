FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /srv/app

# What the application needs comes first: it changes seldom, so builds find it made already.
COPY pyproject.toml ./
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > /tmp/needs.txt \
    && pip install -r /tmp/needs.txt

COPY app app
COPY init init

# Somebody without rights: nothing under /srv/app is theirs to change.
RUN useradd --system --uid 10001 --no-create-home app
USER app

# /livez, /readyz and /metrics have a port of their own; lead no visitor there.
ENV CONTROL_PLANE_ADDR=0.0.0.0:9090
EXPOSE 3000 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f\"http://127.0.0.1:{os.environ['CONTROL_PLANE_ADDR'].rpartition(':')[2]}/livez\", timeout=2)"]

# SECRET_KEY, DATABASE_URL and PUBLIC_URL come from where the container is run; see README.md.
CMD ["lazyapp", "serve", "--production", "--host", "0.0.0.0"]
