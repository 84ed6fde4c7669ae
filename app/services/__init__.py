"""What the application can do, whoever asks: a page, an AI client or a script."""
