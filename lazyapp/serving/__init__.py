"""`lazyapp serve`: a supervisor that binds the sockets, and the processes that serve on them."""
