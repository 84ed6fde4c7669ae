"""What answers a request for a page."""
