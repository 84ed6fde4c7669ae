"""`python -m lazyapp` is `lazyapp`."""

from lazyapp.cli import main

main()
