"""What an operator allows, the job that a node gets, the result that it leaves.

May import `engines` and what is below it.
"""
