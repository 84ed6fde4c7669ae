"""lazyapp."""
