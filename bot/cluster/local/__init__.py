"""Gates as processes of this machine."""
