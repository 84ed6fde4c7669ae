# Nothing goes into the image but what is named here; so no secret, no database and no .venv does.
*
!app
!init
!pyproject.toml
**/__pycache__
