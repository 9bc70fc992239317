"""CODEOWNER sign-offs: what starts a verification, who must sign and who may, and what the checklist says.

May import all of `gatekit` but `comments`. From above to below: checks, evidence, change, edits,
trigger | scope | signers, resource | codeowners, codeowners_match | checklist.
"""
