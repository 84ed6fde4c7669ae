"""AI clients as they talk to an authorization server: one scripted conversation each, with the comparisons that client makes."""
