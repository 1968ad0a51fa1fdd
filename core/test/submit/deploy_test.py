#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests what vmaf-shard passes to engines: the files of deploy/ unchanged, and commands that these
engines accept.

usage: deploy_test.py VMAF_SHARD TOP WORKDIR [--schemas]

If kubectl is installed, it builds the manifests; if the AWS client is, its description checks the
requests. With --schemas, Kubernetes' published schema, which npm installs, checks the Jobs. Checks
without their tool are skipped and named.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys

shard, top, work = (os.path.abspath(path) for path in sys.argv[1:4])
here = os.path.dirname(os.path.abspath(__file__))
with_schemas = '--schemas' in sys.argv[4:]
PAIR = ('-r', 'the film.mkv', '-d', "it's.mkv")
problems, passed_over = [], []

shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)


def check(title, good, *more):
    if not good:
        problems.append(' '.join([title] + [str(m) for m in more]))


def run(*words, **more):
    return subprocess.run([shard, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **more)


def dry(engine, *words):
    done = run('submit', '--dry-run', '--engine', engine, *PAIR, *words)
    check(f'{engine} {words}', done.returncode == 0, done.stderr)
    return done.stdout


def text_of(*path):
    with open(os.path.join(top, 'deploy', *path), encoding='utf-8') as file:
        return file.read()


def commands(text, program):
    return [shlex.split(line) for line in text.splitlines() if line.startswith(program + ' ')]


def slurm():
    text = dry('slurm', '-n', '64', '-o', 'report.json', '--gpus-per-task', '1', '--partition', 'gpu', '--time', '30',
               '--at-once', '8', '--cpus-per-task', '4', '--memory', '8G', '--extra=--qos=low', '--retries', '4',
               '--program', '/opt/vmaf-shard', '--name', 'film', '--', '--feature', 'psnr', '--csv')
    for name in ('parts', 'merge'):
        check(f'deploy/slurm/{name}.sbatch is what is submitted', text_of('slurm', f'{name}.sbatch') in text)
    found = commands(text, 'sbatch')
    script = found[0].index('report.json.parts/parts.sbatch')
    check('sbatch, parts', set(found[0][:script]) == {
        'sbatch', '--parsable', '--job-name=film-parts', '--partition=gpu', '--qos=low', '--array=0-63%8', '--gpus-per-task=1',
        '--cpus-per-task=4', '--mem=8G', '--time=30', '--output=report.json.parts/part-%a.log'}, found[0])
    check('parts', found[0][script + 1:] == ['4', '/opt/vmaf-shard', 'part', *PAIR, '-n', '64', '--parts', 'report.json.parts',
                                             '--', '--feature', 'psnr', '--backend', 'auto'], found[0])
    os.environ['VMAF_BACKEND'] = 'cuda'
    text = dry('slurm', '-n', '2', '--gpus-per-task', '1')
    check('VMAF_BACKEND, which the parts see, is not replaced', '--backend' not in text, text)
    del os.environ['VMAF_BACKEND']
    script = found[1].index('report.json.parts/merge.sbatch')
    check('sbatch, merge', {'--dependency=afterok:PARTS', '--kill-on-invalid-dep=yes', '--qos=low'} <= set(found[1][:script]) and
          not any(word.startswith('--gpus') for word in found[1][:script]), found[1])
    check('merge', found[1][script + 1:] == ['/opt/vmaf-shard', 'merge', *PAIR, '-n', '64', '--parts', 'report.json.parts', '-o',
                                             'report.json', '--', '--feature', 'psnr', '--csv'], found[1])
    check('nothing is written', not os.listdir('.'), os.listdir('.'))
    check('no report, no merge', len(commands(dry('slurm', '-n', '2'), 'sbatch')) == 1)
    text = dry('slurm', '-n', '2', '--parts', '50%a')
    check("a folder's name is not taken for Slurm's pattern", '--output=50%%a/part-%a.log' in commands(text, 'sbatch')[0], text)


def sheets():
    """Checks the scripts with shellcheck."""
    scripts = [os.path.join(top, 'deploy', 'slurm', name) for name in ('parts.sbatch', 'merge.sbatch')]
    for script in scripts:
        check(script, subprocess.run(['sh', '-n', script]).returncode == 0)
    if shutil.which('shellcheck'):
        done = subprocess.run(['shellcheck', *scripts], capture_output=True, text=True)
        check('shellcheck', done.returncode == 0, done.stdout)
    else:
        passed_over.append('shellcheck')


def put_manifests(text, folder):
    """Writes the files that --dry-run prints to a folder for kubectl."""
    name, files = None, {}
    for line in text.splitlines(keepends=True):
        if line.startswith('# ') and line.rstrip().endswith(('.yaml', '.json')) and ' ' not in line[2:].rstrip():
            name = line[2:].rstrip()
            files[name] = ''
        elif line.startswith('kubectl '):
            name = None
        elif name:
            files[name] += line
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(content)
    return files


def rendered(folder):
    """Returns the Jobs of a kustomization by name."""
    import yaml
    done = subprocess.run(['kubectl', 'kustomize', folder], capture_output=True, text=True, timeout=120)
    check(f'kubectl kustomize {folder}', done.returncode == 0, done.stderr)
    return {job['metadata']['name']: job for job in yaml.safe_load_all(done.stdout) if job}


def kubernetes():
    text = dry('kubernetes', '-n', '12', '-o', '/mnt/report.json', '--image', 'example.com/vmaf:1', '--gpus-per-task', '2',
               '--gpu-resource', 'amd.com/gpu', '--name', 'film7', '--namespace', 'video', '--claim', 'films', '--mount', '/mnt',
               '--at-once', '3', '--retries', '4', '--time', '30', '--cpus-per-task', '8', '--memory', '2Gi', '--extra=--context=test',
               '--', '--model', 'version=vmaf_4k_v0.6.1', '--csv')
    check('kubectl', commands(text, 'kubectl') == [
        ['kubectl', '--context=test', 'delete', '--ignore-not-found', '-k', 'FOLDER'],
        ['kubectl', '--context=test', 'apply', '-k', 'FOLDER']], commands(text, 'kubectl'))
    files = put_manifests(text, 'manifests')
    for name in ('kustomization', 'parts', 'merge'):
        check(f'deploy/kubernetes/base/{name}.yaml is what is applied',
              files.get(f'base/{name}.yaml', '').rstrip('\n') == text_of('kubernetes', 'base', f'{name}.yaml').rstrip('\n'))
    put_manifests(dry('kubernetes', '-n', '2', '--image', 'vmaf'), 'plain')
    # Kubernetes replaces $(NAME) by a variable, and $$ by $.
    text = dry('kubernetes', '-n', '2', '--image', 'vmaf', '-o', '/data/$(HOME).json', '--', '--model', 'path=/data/$$(X)$y$')
    for name, word in (('parts', '/data/$$(HOME).json.parts'), ('merge', '/data/$$(HOME).json')):
        words = json.loads(put_manifests(text, 'dollars')[f'{name}.json'])['spec']['template']['spec']['containers'][0]['args']
        check(f'names with dollars in {name}', word in words and 'path=/data/$$$$(X)$$y$$' in words, words)
    try:
        import yaml  # noqa: F401
    except ImportError:
        return passed_over.append('PyYAML')
    if not shutil.which('kubectl'):
        return passed_over.append('kubectl')
    jobs = rendered('manifests')
    check('both Jobs', set(jobs) == {'film7-vmaf-parts', 'film7-vmaf-merge'}, set(jobs))
    if problems:
        return None
    check_jobs(jobs)
    plain = rendered('plain')
    check('no report, no merge', set(plain) == {'vmaf-parts'}, set(plain))
    every = [*jobs.values(), *plain.values()]
    for folder in ('base', 'overlays/nvidia', 'overlays/amd', 'overlays/example'):
        found = rendered(os.path.join(top, 'deploy', 'kubernetes', folder))
        check(folder, len(found) == 2, set(found))
        every += found.values()
    for vendor in ('nvidia', 'amd'):
        container = rendered(os.path.join(top, 'deploy', 'kubernetes', 'overlays', vendor))['vmaf-parts']['spec']['template'][
            'spec']['containers'][0]
        check(f'a GPU of {vendor}', container['resources']['limits'] == {f'{vendor}.com/gpu': '1'} and
              container['args'][-3:] == ['--', '--backend', 'auto'], container)
    if with_schemas:
        check_schemas(every)
    return None


def check_jobs(jobs):
    parts, merge = (jobs[f'film7-vmaf-{name}']['spec'] for name in ('parts', 'merge'))
    pod = parts['template']['spec']
    container, = pod['containers']
    check('an indexed Job', (parts['completionMode'], parts['completions'], parts['parallelism'], parts['backoffLimitPerIndex']) ==
          ('Indexed', 12, 3, 4), parts)
    check('the time limit of the Job', pod['activeDeadlineSeconds'] == 1800, pod)
    check('the container of the Job', container['image'] == 'example.com/vmaf:1' and container['resources'] == {
        'requests': {'cpu': '8', 'memory': '2Gi'}, 'limits': {'amd.com/gpu': '2'}}, container)
    check('the command of the Job', container['args'] == ['vmaf-shard', 'part', *PAIR, '-n', '12', '--parts', '/mnt/report.json.parts', '--',
                                             '--model', 'version=vmaf_4k_v0.6.1', '--backend', 'auto'], container['args'])
    for spec in (parts, merge):
        pod = spec['template']['spec']
        container, = pod['containers']
        claims = [v['persistentVolumeClaim']['claimName'] for v in pod['volumes'] if 'persistentVolumeClaim' in v]
        check('the claim', claims == ['films'] and {m['name']: m['mountPath'] for m in container['volumeMounts']}['data'] == '/mnt',
              pod)
        check('mounts have volumes', {m['name'] for m in container['volumeMounts']} <= {v['name'] for v in pod['volumes']}, pod)
    words = merge['template']['spec']['containers'][0]['args']
    check('the merge', words == ['vmaf-shard', 'merge', *PAIR, '-n', '12', '--parts', '/mnt/report.json.parts', '-o',
                                 '/mnt/report.json', '--wait', '86400', '--', '--model', 'version=vmaf_4k_v0.6.1', '--csv'], words)
    for job in jobs.values():
        check('the namespace', job['metadata']['namespace'] == 'video', job['metadata'])


def check_schemas(jobs):
    """Checks Jobs against the published schema, and that it knows each key."""
    if not shutil.which('npm') or not shutil.which('node'):
        return passed_over.append('npm')
    # Keep the packages between runs, because installing them takes longer than the test.
    folder = os.path.join(os.path.dirname(work), 'schemas')
    if not os.path.isdir(f'{folder}/node_modules/kubernetes-models'):
        os.makedirs(folder, exist_ok=True)
        with open(f'{folder}/package.json', 'w') as file:
            file.write('{"private": true}\n')
        done = subprocess.run(['npm', 'install', '--no-fund', '--no-audit', '--ignore-scripts', 'kubernetes-models@5.1.0'], cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        if done.returncode:
            return passed_over.append('kubernetes-models, which npm could not install')
    shutil.copy(os.path.join(here, 'schema_check.mjs'), folder)
    done = subprocess.run(['node', 'schema_check.mjs'], cwd=folder, input=json.dumps(jobs), capture_output=True, text=True)
    check('the schema', done.returncode == 0, done.stdout + done.stderr)
    # The check must find errors: an unknown key, and a value of the wrong type.
    for key, value in (('completionsMode', 'Indexed'), ('completions', 'four')):
        bad = json.loads(json.dumps(jobs[:1]))
        bad[0]['spec'][key] = value
        done = subprocess.run(['node', 'schema_check.mjs'], cwd=folder, input=json.dumps(bad), capture_output=True, text=True)
        check('the schema rejects errors', done.returncode == 1 and key in done.stdout, done.stdout + done.stderr)
    return None


def aws():
    text = dry('aws-batch', '-n', '64', '-o', '/data/report.json', '--job-queue', 'gpus', '--job-definition', 'vmaf:3',
               '--gpus-per-task', '1', '--cpus-per-task', '4', '--memory', '8192', '--retries', '4', '--time', '30', '--name', 'film',
               '--extra=--region=eu-west-1', '--', '--feature', 'psnr')
    found = commands(text, 'aws')
    requests = [json.loads(words[words.index('--cli-input-json') + 1]) for words in found]
    for words in found:
        check('aws', words[:3] == ['aws', 'batch', 'submit-job'] and '--region=eu-west-1' in words, words)
    parts, merge = (json.loads(text_of('aws-batch', f'{name}.json')) for name in ('parts', 'merge'))
    for request in (parts, merge):
        request.update(jobQueue='gpus', jobDefinition='vmaf:3')
    parts.update(jobName='film-parts', arrayProperties={'size': 64}, timeout={'attemptDurationSeconds': 1800})
    parts['retryStrategy']['attempts'] = 5
    parts['containerOverrides'] = {
        'command': ['vmaf-shard', 'part', *PAIR, '-n', '64', '--parts', '/data/report.json.parts', '--', '--feature', 'psnr',
                    '--backend', 'auto'],
        'resourceRequirements': [{'type': 'GPU', 'value': '1'}, {'type': 'VCPU', 'value': '4'}, {'type': 'MEMORY', 'value': '8192'}]}
    merge.update(jobName='film-merge', dependsOn=[{'jobId': 'PARTS'}])
    merge['containerOverrides'] = {'command': ['vmaf-shard', 'merge', *PAIR, '-n', '64', '--parts', '/data/report.json.parts', '-o',
                                               '/data/report.json', '--', '--feature', 'psnr']}
    check('deploy/aws-batch is what is asked for', requests == [parts, merge], requests)
    definition = json.loads(text_of('aws-batch', 'job-definition.json'))
    try:
        import botocore.session
        import botocore.validate
    except ImportError:
        return passed_over.append('botocore')
    model = botocore.session.get_session().get_service_model('batch')
    for operation, params in (('SubmitJob', requests[0]), ('SubmitJob', requests[1]), ('RegisterJobDefinition', definition)):
        report = botocore.validate.ParamValidator().validate(params, model.operation_model(operation).input_shape)
        check(operation, not report.has_errors(), report.generate_report())
    return None


def refuses():
    for words in ((), ('submit',), ('submit', *PAIR, '-n', '0'), ('submit', *PAIR, '--engine', 'pbs', '-n', '2'),
                  ('submit', *PAIR, '--engine', 'slurm'), ('submit', *PAIR, '--engine', 'kubernetes', '-n', '2'),
                  ('submit', *PAIR, '--engine', 'aws-batch', '-n', '2'), ('submit', *PAIR, '-n', '2', '--partition', 'x'),
                  ('submit', *PAIR, '-n', '2', '--', '--shard', '0/2'), ('submit', *PAIR, '-n', '2', '--', '-o', 'x'),
                  ('submit', *PAIR, '-n', '2', '--', 'third.mkv'), ('submit', *PAIR, '-n', '2', '--', '--backend', 'cpu'),
                  ('submit', '-r', '-', '-d', 'x', '-n', '2'), ('submit', *PAIR, '-n', '2', '--name', 'No'),
                  ('submit', *PAIR, '--engine', 'aws-batch', '--job-queue', 'q', '-n', '1'),
                  ('part', *PAIR, '-n', '4', '--index', '4'), ('part', *PAIR, '-n', '4'), ('merge', *PAIR, '-n', '4', '--index', '1'),
                  ('status',), ('nonsense',)):
        environment = {name: value for name, value in os.environ.items() if 'ARRAY' not in name and 'COMPLETION' not in name}
        done = run(*words, env=environment)
        lines = done.stderr.strip().splitlines()
        check(f'{words} is refused in a line', done.returncode == 1 and len(lines) == 1, done.returncode, done.stderr)
    for name, value in (('SLURM_ARRAY_TASK_ID', '4'), ('JOB_COMPLETION_INDEX', 'x'), ('AWS_BATCH_JOB_ARRAY_INDEX', '-1')):
        done = run('part', *PAIR, '-n', '4', env={**os.environ, name: value})
        check(f'{name}={value} is refused', done.returncode == 1 and name in done.stderr, done.stderr)
    check('no folder is made', not os.path.exists('vmaf.parts'))


slurm()
sheets()
kubernetes()
aws()
refuses()
for name in passed_over:
    print(f'not installed, so not tested: {name}')
print('\n'.join(problems))
sys.exit(1 if problems else 0)
