"""Webhook → stored → lane → event → handler.

May import `store`, `github` and what is below them.
"""
