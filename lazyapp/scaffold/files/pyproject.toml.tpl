[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "{{ name }}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["lazyapp>={{ version }}"]

[project.optional-dependencies]
dev = ["pytest>=9.2"]

[tool.hatch.build.targets.wheel]
packages = ["app", "init"]

[tool.lazyapp]
app = "init.app:app"

[tool.pytest.ini_options]
testpaths = ["tests"]
anyio_mode = "auto"  # tests may be async; anyio comes with lazyapp
