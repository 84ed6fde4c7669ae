.venv/
.lazyapp/
.env
__pycache__/
*.py[cod]
*.egg-info/
.pytest_cache/
