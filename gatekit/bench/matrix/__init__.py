"""Master configs, runners and changelog → rows and points. May also import `bench.repo`."""
