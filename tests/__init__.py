"""The tests: one folder a package, one `test_<file>.py` a file; `flows/` drives the real server with the clients of others."""
