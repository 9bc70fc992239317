"""What else the checks look at: descriptions, pages, results, jobs.

May import `signoff.change` and what is below it.
"""
