"""What a pull request changes, config by config.

May import what `signoff` may, but neither `evidence` nor `checks`.
"""
