"""The attacks that an authorization server meets, each as a test named by its number.

Each test runs the attack against the guarded server, where nothing may get through, and once more for each guard with that guard
taken out, where something must: no guard is there for show, and no attack is one in name only.
"""
