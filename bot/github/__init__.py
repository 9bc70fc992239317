"""The door to GitHub: client, reads, writes."""
