"""Texts of squeue and sacct for SLURM 22.05, 23.11, 24.11 and 25.05.

Written by hand after the formats that the manual pages of these versions document; the rows of 22.05 are as a real
one printed them. Names, folders and reasons are made up.
"""

RUN = "/shared/gatekit/runs"

QUEUE_22_05 = f"""\
31|RUNNING|None|{RUN}/gk-7-a3f9c1d2-1|gk-7-a3f9c1d2-1
32|PENDING|Resources|{RUN}/gk-7-b04e11aa-1|gk-7-b04e11aa-1
33|COMPLETING|None|{RUN}/gk-7-c5d2e3f4-1|gk-7-c5d2e3f4-1
34|FAILED|NonZeroExitCode|/home/gatebot|an odd | name, with bars
30|CANCELLED|None|{RUN}/gk-7-d0d0d0d0-1|gk-7-d0d0d0d0-1
"""
QUEUE_23_11 = f"""\
41|PENDING|ReqNodeNotAvail, UnavailableNodes:node[1-2,7]|{RUN}/gk-7-a3f9c1d2-1|gk-7-a3f9c1d2-1
42|POWER_UP_NODE|None|{RUN}/gk-7-b04e11aa-1|gk-7-b04e11aa-1
43|NODE_FAIL|NodeDown|{RUN}/gk-7-c5d2e3f4-1|gk-7-c5d2e3f4-1
"""
QUEUE_24_11 = f"""\
51|EXPEDITING|None|{RUN}/gk-7-a3f9c1d2-1|gk-7-a3f9c1d2-1
52|LAUNCH_FAILED|launch failed requeued held|{RUN}/gk-7-b04e11aa-1|gk-7-b04e11aa-1
53|TIMEOUT|TimeLimit|{RUN}/gk-7-c5d2e3f4-1|gk-7-c5d2e3f4-1
"""
QUEUE_25_05 = f"""\
61|UPDATE_DB|None|{RUN}/gk-7-a3f9c1d2-1|gk-7-a3f9c1d2-1
62|OUT_OF_MEMORY|OutOfMemory|{RUN}/gk-7-b04e11aa-1|gk-7-b04e11aa-1
63|SOMETHING_NEW|None|{RUN}/gk-7-c5d2e3f4-1|gk-7-c5d2e3f4-1
"""

# The id was given out twice: to somebody else's job, and after a crash of the controller to ours.
ACCOUNTS_22_05 = """\
31|COMPLETED|0:0|yesterdays-job
31|CANCELLED by 1001|0:15|gk-7-a3f9c1d2-1
32|PENDING|0:0|allocation
33|FAILED|9:0|gk-7-c5d2e3f4-1
34.batch|FAILED|5:0|batch
"""
ACCOUNTS_23_11 = """\
41|NODE_FAIL|1:0|gk-7-a3f9c1d2-1
41|PENDING|0:0|gk-7-a3f9c1d2-1
42|PREEMPTED|0:0|gk-7-b04e11aa-1
"""
ACCOUNTS_24_11 = """\
51|DEADLINE|0:0|gk-7-a3f9c1d2-1
52|CANCELLED by 0|0:0|gk-7-b04e11aa-1
53|OUT_OF_MEMORY|0:125|gk-7-c5d2e3f4-1
"""
ACCOUNTS_25_05 = """\
61|BOOT_FAIL|0:0|gk-7-a3f9c1d2-1
62|RUNNING|0:0|gk-7-b04e11aa-1
63|TIMEOUT|0:0|gk-7-c5d2e3f4-1
"""
