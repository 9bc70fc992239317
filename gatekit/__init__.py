"""The library: plans, curves, keys, verdicts, rules, words. No network, clock, disk or subprocess.

May import neither `handlers` nor `bot`. Rooms from above to below: comments, signoff, sweep | use | measure, plan,
goldens | serving | cluster, engines, bench, commands, formats, domain; each imports only what is below it.
"""
