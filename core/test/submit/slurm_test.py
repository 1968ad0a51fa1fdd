#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""vmaf-shard on a real Slurm of one node.

usage: slurm_test.py VMAF_SHARD VMAF SYNTHCLIP WORKDIR

Merged reports equal those of a single run, byte for byte. A task that is killed and queued again
leaves no incomplete file. Only the part that failed is retried. No merge runs before all parts
exist. Skipped without Slurm.
"""
import os
import shutil
import subprocess
import sys
import tempfile

shard, vmaf, synthclip, work = (os.path.abspath(path) for path in sys.argv[1:5])
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shard_inputs  # noqa: E402
import slurm_rig  # noqa: E402

WORDS = ('--feature', 'psnr', '--model', 'version=vmaf_b_v0.6.3')
problems = []

why = slurm_rig.missing()
if why:
    print(f'Slurm was not tried: {why}.')
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def write_program(name, body):
    """Writes a program that runs on the node in place of vmaf-shard."""
    with open(name, 'w') as file:
        file.write(f'#!/bin/sh\nfirst() {{ [ "$1" = part ] && [ "$SLURM_ARRAY_TASK_ID" = 2 ] && [ -z "$SLURM_RESTART_COUNT" ]; }}\n'
                   f'{body}\nexec {shard} "$@"\n')
    os.chmod(name, 0o700)
    return os.path.abspath(name)


def submit(slurm, name, *more):
    """Submits. Returns the numbers of both jobs and the output."""
    done = slurm.run(shard, 'submit', '--engine', 'slurm', '-r', 'ref.y4m', '-d', 'dist.y4m', '-n', '4', '-o', f'{name}.json',
                     *more, '--', *WORDS)
    check(f'{name}: submitted', done.returncode == 0, done.stderr)
    jobs = [line.split()[1] for line in done.stderr.splitlines() if line.startswith('job ')]
    return jobs, done


def logs(name):
    folder = f'{name}.json.parts'
    return ''.join(f'\n{log}: {open(os.path.join(folder, log)).read()}' for log in sorted(os.listdir(folder)) if log.endswith('.log'))


def parts_of(name):
    folder = f'{name}.json.parts'
    return {part: os.stat(os.path.join(folder, part)).st_mtime_ns for part in sorted(os.listdir(folder)) if part.startswith('part-') and
            part.endswith('.json')}


def is_merged(slurm, name, job):
    slurm.wait_for(job, 'COMPLETED FAILED CANCELLED TIMEOUT')
    check(f'{name}: the merge is done', slurm.state(job) == 'COMPLETED', slurm.state(job), logs(name))
    check(f'{name}: the report is that of one run', shard_inputs.is_single(f'{name}.json'), logs(name))


def release(slurm, task):
    """Starts a requeued task without Slurm's delay of two minutes. Wait two seconds, though: the
    node counts whole seconds, and within the second in which the old run ended it refuses the new
    one ("Job credential revoked")."""
    slurm.wait_for(task, 'PENDING')
    slurm.run('scontrol', 'update', f'JobId={task}', 'StartTime=now+2')


def an_array_and_its_merge(slurm):
    """Each part gets a GPU, which the log shows; the program then computes on the CPU."""
    program = write_program('seen', '[ "$1" = part ] && echo "GPUs: $SLURM_GPUS_ON_NODE, CPUs: $SLURM_CPUS_PER_TASK"')
    (parts, merge), done = submit(slurm, 'plain', '--gpus-per-task', '1', '--cpus-per-task', '1', '--partition', 'other', '--at-once',
                                  '2', '--time', '10', '--program', program)
    check('the output shows the commands', '--array=0-3%2' in done.stdout and f'--dependency=afterok:{parts}' in done.stdout, done.stdout)
    shown = slurm.run('scontrol', 'show', 'job', merge).stdout
    check('the merge depends on all parts', f'afterok:{parts}' in shown, shown)
    is_merged(slurm, 'plain', merge)
    check('each part had a GPU', logs('plain').count('GPUs: 1, CPUs: 1') == 4, logs('plain'))
    shown = slurm.run('scontrol', 'show', 'job', parts).stdout
    check('each part is in the partition', shown.count('Partition=other') == 4, shown)
    done = slurm.run(shard, 'status', 'plain.json.parts')
    check('all parts are there', (done.returncode, done.stdout) == (0, 'all 4 parts are done\n'), done.stdout)
    # Submit again: nothing is left to score, so the merge depends on no job.
    before = parts_of('plain')
    os.remove('plain.json')
    (merge,), done = submit(slurm, 'plain')
    is_merged(slurm, 'plain', merge)
    check('no part was scored again', parts_of('plain') == before and '--array' not in done.stdout, done.stdout)
    # Other options are refused, and nothing is submitted.
    done = slurm.run(shard, 'submit', '--engine', 'slurm', '-r', 'ref.y4m', '-d', 'dist.y4m', '-n', '4', '-o', 'plain.json')
    check('parts of other options are refused', done.returncode == 1 and 'options' in done.stderr and not done.stdout, done.stderr)


def a_task_killed_and_queued_again(slurm):
    """The process is stopped while it scores, and Slurm kills it then."""
    program = write_program('stops', f'if first "$@"; then {shard} "$@" & kill -STOP $!; touch stopped; wait; fi')
    (parts, merge), _ = submit(slurm, 'killed', '--program', program)
    slurm.expect(lambda: os.path.exists('stopped'), 'part 2 does not run')
    done = slurm.run('scontrol', 'requeue', f'{parts}_2')
    check('the killed task is queued again', done.returncode == 0, done.stderr)
    release(slurm, f'{parts}_2')
    is_merged(slurm, 'killed', merge)
    check('the killed task is queued again once', slurm.restarts(f'{parts}_2') == 1)


def a_part_that_dies(slurm):
    """A part dies of a signal as in a crash, and its job queues itself again."""
    program = write_program('dies', 'if first "$@"; then kill -KILL $$; fi')
    (parts, merge), _ = submit(slurm, 'died', '--program', program, '--retries', '1')
    slurm.expect(lambda: slurm.restarts(f'{parts}_2') == 1, 'part 2 is not queued again')
    check('the merge waits', slurm.state(merge) == 'PENDING', slurm.state(merge))
    release(slurm, f'{parts}_2')
    is_merged(slurm, 'died', merge)


def a_part_that_is_slow(slurm):
    """The test sends the signal that Slurm sends before the time limit: the part stops and is
    queued again."""
    program = write_program('slow', 'if first "$@"; then touch slow-runs; exec sleep 600; fi')
    (parts, merge), _ = submit(slurm, 'late', '--program', program, '--time', '10')
    slurm.expect(lambda: os.path.exists('slow-runs'), 'part 2 does not run')
    slurm.run('scancel', '--batch', '--signal=USR1', f'{parts}_2')
    slurm.expect(lambda: slurm.restarts(f'{parts}_2') == 1, 'part 2 is not queued again')
    release(slurm, f'{parts}_2')
    is_merged(slurm, 'late', merge)
    check('the log gives the reason', 'its time being over' in logs('late'), logs('late'))


def jobs_that_are_cancelled(slurm):
    """Cancelled jobs are not queued again."""
    program = write_program('cancelled', 'if first "$@"; then touch runs; exec sleep 600; fi')
    (parts, merge), _ = submit(slurm, 'cancelled', '--program', program)
    slurm.expect(lambda: os.path.exists('runs') and len(parts_of('cancelled')) == 3, 'the parts do not run')
    slurm.run('scancel', parts)
    slurm.wait_for(merge, 'CANCELLED')
    slurm.wait_for(f'{parts}_2', 'CANCELLED')
    check('a cancelled task is not queued again', slurm.restarts(f'{parts}_2') == 0 and 'queued again' not in logs('cancelled'), logs('cancelled'))
    check('nothing is half-written', len(parts_of('cancelled')) == 3 and not os.path.exists('cancelled.json'))


def a_part_that_fails(slurm):
    """A part fails until its retries are used up: no merge runs, and later only that part is
    submitted."""
    program = write_program('fails', '[ "$1" != part ] || [ "$SLURM_ARRAY_TASK_ID" != 2 ] || [ ! -e broken ] || exit 255')
    open('broken', 'w').close()
    (parts, merge), _ = submit(slurm, 'failed', '--program', program, '--retries', '0')
    slurm.wait_for(merge, 'CANCELLED COMPLETED FAILED')
    check('there is no merge', slurm.state(merge) == 'CANCELLED' and not os.path.exists('failed.json'), slurm.state(merge))
    check('the part failed', slurm.state(f'{parts}_2') == 'FAILED' and slurm.restarts(f'{parts}_2') == 0)
    check('the others are there', len(parts_of('failed')) == 3, parts_of('failed'))
    done = slurm.run(shard, 'status', 'failed.json.parts')
    check('status reports it as missing', (done.returncode, done.stdout) == (2, '3 of 4 parts are done; missing: 2\n'), done.stdout)
    before = parts_of('failed')
    os.remove('broken')
    (parts, merge), done = submit(slurm, 'failed', '--program', program)
    check('only that part is submitted', '--array=2 ' in done.stdout, done.stdout)
    is_merged(slurm, 'failed', merge)
    after = parts_of('failed')
    check('the other parts are unchanged', len(after) == 4 and {part: after[part] for part in before} == before)


shard_inputs.make_clips(synthclip)
shard_inputs.single(vmaf, 'plain.json', *WORDS, '--backend', 'auto')
for name in ('killed', 'died', 'late', 'failed'):
    shard_inputs.single(vmaf, f'{name}.json', *WORDS)
# Paths of sockets must be short.
with tempfile.TemporaryDirectory(prefix='slurm-') as folder, slurm_rig.Slurm(f'{folder}/rig') as rig:
    an_array_and_its_merge(rig)
    a_task_killed_and_queued_again(rig)
    a_part_that_dies(rig)
    a_part_that_is_slow(rig)
    jobs_that_are_cancelled(rig)
    a_part_that_fails(rig)
    if problems:
        print(rig.logs())
for problem in problems:
    print(problem)
print('Slurm runs parts, and merges them.' if not problems else f'{len(problems)} problems')
sys.exit(1 if problems else 0)
