"""The checks of a sign-off, one file each: from facts to an outcome with its reason and its evidence."""

from gatekit.signoff.checks import (
    check_00_owner,
    check_01_sweep,
    check_02_evals,
    check_03_recipe,
    check_04_reuse,
    check_05_template,
    check_06_images,
    check_07_deprecated,
    check_08_architecture,
    check_09_chat_template,
    check_10_patches,
    check_11_acceptance,
    check_12_append_only,
    check_13_draft,
    check_14_pareto,
    check_15_description,
)
from gatekit.signoff.checks.check import Check

CHECKS: tuple[Check, ...] = (
    check_00_owner.CHECK,
    check_01_sweep.CHECK,
    check_02_evals.CHECK,
    check_03_recipe.CHECK,
    check_04_reuse.CHECK,
    check_05_template.CHECK,
    check_06_images.CHECK,
    check_07_deprecated.CHECK,
    check_08_architecture.CHECK,
    check_09_chat_template.CHECK,
    check_10_patches.CHECK,
    check_11_acceptance.CHECK,
    check_12_append_only.CHECK,
    check_13_draft.CHECK,
    check_14_pareto.CHECK,
    check_15_description.CHECK,
)
