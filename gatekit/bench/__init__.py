"""The benchmark repository as a reader sees it: snapshot, matrix, recipes.

May import `commands`, `formats` and `domain`. From above to below: recipes, matrix, repo.
"""
