"""Every sentence that we post, and the one escaping for whatever comes from outside."""
