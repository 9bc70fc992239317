"""Webhook → stored → lane → event → handler.

May import `store` and what is below it.
"""
