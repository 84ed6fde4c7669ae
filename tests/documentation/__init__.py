"""What of the documentation is made: the API reference out of docstrings, and llms.txt out of the table of contents.

    .venv/bin/python -m tests.documentation

writes them anew; tests/test_documentation.py fails where they are not current.
"""
