# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A Slurm of one node, for tests: munged, slurmctld and slurmd as daemons of this process, with their configuration,
state, logs and pid files in one folder, ended by pid."""
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'scontrol', 'squeue', 'scancel', 'srun')
PLACES = os.pathsep.join((os.environ.get('PATH', ''), '/usr/sbin', '/sbin'))

CONFIG = '''\
ClusterName=vmaftest
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
KillWait=2
MessageTimeout=30
MinJobAge=300
ReturnToService=2
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes={host} MaxTime=INFINITE State=UP
'''


def missing():
    """Returns why the test cannot start Slurm, such as missing programs."""
    names = [name for name in PROGRAMS if not shutil.which(name, path=PLACES)]
    if names:
        return f'not installed: {", ".join(names)} (Debian: slurm-wlm, munge)'
    return '' if os.geteuid() == 0 else 'the daemons want to be root here'


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, step=0.05):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(step)
    return True


class Slurm:
    """with Slurm(folder) as slurm: slurm.run('sbatch', …)"""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.daemons = []
        host = socket.gethostname().split('.')[0]
        self.environment = {**os.environ, 'SLURM_CONF': f'{self.folder}/slurm.conf', 'PATH': PLACES}
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder, mode=0o755)
        for name in ('state', 'spool'):
            os.mkdir(f'{self.folder}/{name}', 0o755)
        with open(f'{self.folder}/slurm.conf', 'w') as file:
            file.write(CONFIG.format(host=host, user=getpass.getuser(), folder=self.folder, cpus=os.cpu_count(),
                                     controller_port=free_port(), node_port=free_port()))
        with open(f'{self.folder}/gres.conf', 'w') as file:
            file.write(f'AutoDetect=off\nName=gpu File={self.folder}/gpu[0-1]\n')
        for number in range(2):  # Slurm assigns these files as GPUs; nobody opens them here
            open(f'{self.folder}/gpu{number}', 'w').close()
        with open(f'{self.folder}/cgroup.conf', 'w') as file:
            file.write('CgroupAutomount=no\n')
        with open(os.open(f'{self.folder}/munge.key', os.O_WRONLY | os.O_CREAT, 0o400), 'wb') as file:
            file.write(os.urandom(1024))

    def start(self, name, *words):
        with open(f'{self.folder}/{name}.out', 'w') as out:
            # In their own process groups, so that Ctrl-C reaches only the test.
            self.daemons.append(subprocess.Popen([shutil.which(name, path=PLACES), *words], env=self.environment,
                                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True))

    def __enter__(self):
        try:
            self.start('munged', '--foreground', '--force', f'--socket={self.folder}/munge.socket',
                       f'--key-file={self.folder}/munge.key', f'--pid-file={self.folder}/munged.pid',
                       f'--log-file={self.folder}/munged.log', f'--seed-file={self.folder}/munged.seed')
            self.expect(lambda: os.path.exists(f'{self.folder}/munge.socket'), 'munged does not answer')
            self.start('slurmctld', '-D')
            self.start('slurmd', '-D')
            self.expect(lambda: self.run('sinfo', '-h', '-p', 'main', '-o', '%t').stdout.strip() == 'idle',
                        'the node does not get ready')
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def expect(self, condition, complaint, seconds=60):
        if not wait_until(condition, seconds, 0.1):
            raise RuntimeError(f'{complaint}\n{self.logs()}')

    def logs(self):
        """Returns the last lines of the daemons' logs, because the test removes their folder."""
        text = ''
        for name in ('munged', 'slurmctld', 'slurmd'):
            path = f'{self.folder}/{name}.log'
            if os.path.exists(path):
                with open(path, errors='replace') as file:
                    text += f'{name}:\n' + ''.join(file.readlines()[-40:])
        return text

    def run(self, *words, **more):
        return subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, **more)

    def state(self, job):
        """Returns the state of a job or of an array task ('12_3'), such as 'COMPLETED'."""
        shown = self.run('scontrol', 'show', 'job', str(job)).stdout
        for word in shown.split():
            if word.startswith('JobState='):
                return word.split('=', 1)[1]
        return ''

    def restarts(self, job):
        shown = self.run('scontrol', 'show', 'job', str(job)).stdout
        return next((int(word.split('=')[1]) for word in shown.split() if word.startswith('Restarts=')), 0)

    def wait_for(self, job, states, seconds=120):
        states = states.split()
        self.expect(lambda: self.state(job) in states, f'job {job} does not become {states}, is {self.state(job)}', seconds)
