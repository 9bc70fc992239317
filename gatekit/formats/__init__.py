"""Text and bytes of strangers → plain values, within bounds: YAML, JSON, Markdown, tar, zip, Prometheus.

May import `domain`.
"""
