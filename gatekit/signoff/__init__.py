"""CODEOWNER sign-offs: what starts a verification, who must sign and who may, and what the checklist says."""
