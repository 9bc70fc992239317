"""The operator port: pages, the same as JSON, readiness."""
