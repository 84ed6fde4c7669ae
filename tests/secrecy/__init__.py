"""No secret stands in any log: what every test checks beside its own matter. Issue 4, "the whole suite run at DEBUG"."""
