"""Configuration texts of a whole small cluster on one machine: controller, nodes, accounting, sshd."""

from dataclasses import dataclass
from pathlib import Path

NODES = 3
GPUS = 8


@dataclass(frozen=True)
class Ports:
    controller: int
    accounting: int
    ssh: int
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """Everything of one cluster: its folder, the account that submits, and its ports."""

    folder: Path
    user: str
    host: str  # what this machine calls itself
    ports: Ports
    sessions: int = 6  # as many as the bot may have open at once, and not one more: it must bear to be refused

    @property
    def conf(self) -> Path:
        return self.folder / "conf"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def shared(self) -> Path:
        """The shared file system, as it were."""
        return self.folder / "shared"

    @property
    def local(self) -> Path:
        """What would be a node's own disk; its name is short, since sockets lie below it."""
        return self.folder / "n"

    @property
    def containers(self) -> Path:
        """What the stand-in for pyxis writes down of each container."""
        return self.folder / "c"

    @property
    def munge(self) -> Path:
        return self.folder / "munge" / "sock" / "s"

    @property
    def sql(self) -> Path:
        return self.folder / "mysql" / "s"


def slurm_conf(place: Place) -> str:
    return _daemons(place) + _habits(place) + _nodes(place)


def _daemons(place: Place) -> str:
    """Who they are, where they listen and write."""
    return f"""\
ClusterName=small
SlurmctldHost={place.host}(127.0.0.1)
SlurmctldPort={place.ports.controller}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place.munge}
CredType=cred/munge
StateSaveLocation={place.folder}/controller
SlurmdSpoolDir={place.folder}/spool/%n
SlurmctldPidFile={place.folder}/slurmctld.pid
SlurmdPidFile={place.folder}/slurmd-%n.pid
SlurmctldLogFile={place.log}/slurmctld.log
SlurmdLogFile={place.log}/slurmd-%n.log
MailProg=/bin/true
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePass={place.munge}
AccountingStoragePort={place.ports.accounting}
AccountingStorageTRES=gres/gpu
"""


def _habits(place: Place) -> str:
    """Times are short, so that a drill is. `proctrack/linuxproc` lets daemonised processes escape: we must end them."""
    return f"""\
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0,bf_interval=1,sched_interval=1
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
MessageTimeout=2
InactiveLimit=0
KillWait=3
CompleteWait=0
MinJobAge=300
UnkillableStepTimeout=10
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
Prolog={place.conf}/prolog
"""


def _nodes(place: Place) -> str:
    nodes = "".join(
        f"NodeName=node{number} NodeHostname={place.host} NodeAddr=127.0.0.1 Port={port} CPUs=16 RealMemory=64000 "
        f"Gres=gpu:h200:{GPUS}\n"
        for number, port in enumerate(place.ports.nodes, 1)
    )
    usual = "Nodes=ALL MaxTime=04:00:00 DefaultTime=00:05:00 State=UP"
    return f"""\
{nodes}PartitionName=gpu {usual} Default=YES PriorityTier=10 PreemptMode=OFF
PartitionName=low {usual} PriorityTier=1
"""


def gres_conf(place: Place, *, devices: bool) -> str:
    where = f"File={place.folder}/dev/gpu[0-{GPUS - 1}]" if devices else f"Count={GPUS}"
    return f"NodeName=node[1-{len(place.ports.nodes)}] Name=gpu Type=h200 {where}\n"


def plugstack(place: Place) -> str:
    """The stand-in for pyxis. What a container of an image would not have of the node's files is hidden from it."""
    hidden = ",".join(map(str, (place.shared, place.home)))
    return f"required {place.conf}/container.so records={place.containers} hide={hidden}\n"


def prolog(place: Place) -> str:
    """Fails on a node while `prolog-fails.<node>` exists."""
    return f'#!/bin/sh\n[ ! -e "{place.folder}/prolog-fails.$SLURMD_NODENAME" ]\n'


def accounting_conf(place: Place) -> str:
    return f"""\
AuthType=auth/munge
AuthInfo=socket={place.munge}
DbdHost={place.host}
DbdAddr=127.0.0.1
DbdPort={place.ports.accounting}
SlurmUser=root
PidFile={place.folder}/slurmdbd.pid
LogFile={place.log}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StoragePort=0
StorageUser=root
StorageLoc=accounts
"""


def sshd_conf(place: Place) -> str:
    return f"""\
Port {place.ports.ssh}
ListenAddress 127.0.0.1
HostKey {place.conf}/host_key
PidFile {place.folder}/sshd.pid
UsePAM no
AuthenticationMethods publickey
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin no
AllowUsers {place.user}
AuthorizedKeysFile .ssh/authorized_keys
StrictModes yes
UseDNS no
PrintMotd no
AllowAgentForwarding no
X11Forwarding no
MaxStartups 50
MaxSessions {place.sessions}
SetEnv SLURM_CONF={place.conf}/slurm.conf
Subsystem sftp internal-sftp
"""
