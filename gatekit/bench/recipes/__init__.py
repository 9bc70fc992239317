"""Recipe files → the one merged recipe and its roles. May also import `bench.matrix` and `bench.repo`."""
