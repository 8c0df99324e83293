"""Work off the server's thread: jobs, what is wanted of them, documents. No figures."""
