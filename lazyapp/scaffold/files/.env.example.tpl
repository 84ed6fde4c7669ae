# Settings for this machine: copy the file to .env, which git and the image leave out. Variables of the environment win over it.
# All may stay unset while you develop.

# PORT=3000
# LOG_LEVEL=debug
# LAZYAUTH_DEFAULT_USER=admin
# LAZYAUTH_DEFAULT_PASS=a password that outlives the run
# DATABASE_URL=postgresql://localhost/{{ name }}
