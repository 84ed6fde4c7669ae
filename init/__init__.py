"""What this application is made of. Start with app.py."""
