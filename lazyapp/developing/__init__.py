"""What an application shows of itself to whoever develops it, at `/_lazy`: on this machine and in development only.

`all.py` puts the parts together; `App` imports it when it starts in development, so production loads nothing of it.
"""
