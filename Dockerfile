# What `docker compose` runs its one-shot jobs with. MONITOR itself runs in your terminal: `make run`.
FROM python:3.11-slim
WORKDIR /monitor
COPY requirements.lock requirements-servers.lock requirements-extras.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir -r requirements-servers.lock -r requirements-extras.lock
COPY . .
RUN pip install --no-cache-dir --no-build-isolation --no-deps -e .
ENTRYPOINT ["monitor"]
