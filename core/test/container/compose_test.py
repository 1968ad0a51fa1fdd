#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The compose file's promises: each profile gets the nodes, groups and variables without which a backend would
fail, or run in software, in silence.

usage: compose_test.py TREE
"""
import os
import re
import sys

try:
    import yaml
except ImportError:
    print('skipped: needs python3-yaml')
    sys.exit(77)

tree = sys.argv[1]
with open(os.path.join(tree, 'dev/docker-compose.yml')) as file:
    text = file.read()
with open(os.path.join(tree, 'dev/Containerfile')) as file:
    containerfile = file.read()
compose = yaml.safe_load(text)
services = compose['services']
problems = []


def check(what, good):
    if not good:
        problems.append(what)


DRI, KFD = '/dev/dri:/dev/dri', '/dev/kfd:/dev/kfd'
CAPABILITIES = 'compute,graphics,utility,video'
HEALTH = {'cpu': 'cpu', 'nvidia': 'cuda,vulkan', 'intel': 'vulkan', 'amd': 'hip,vulkan', 'all': 'cuda,hip,vulkan'}
AMD = {'HSA_OVERRIDE_GFX_VERSION', 'HSA_ENABLE_SDMA', 'ROCR_VISIBLE_DEVICES'}

check('one service for each profile', set(services) == {'cpu', 'nvidia', 'intel', 'amd', 'all'})
for name, service in services.items():
    check(f'{name}: its profile', service['profiles'] == [name])
    check(f'{name}: the one image', service['image'] == services['cpu']['image'])
    check(f'{name}: built here', os.path.exists(os.path.join(tree, 'dev', service['build']['context'],
                                                             service['build']['dockerfile'])))
    check(f'{name}: healthy is what the doctor says of its backends', service['healthcheck']['test'][-4:] ==
          ['vmaf', '--doctor', '--backend', HEALTH[name]])
    environment = service.get('environment', {})
    devices = service.get('devices', [])
    nvidia = name in ('nvidia', 'all')
    amd = name in ('amd', 'all')
    dri = name in ('intel', 'amd', 'all')
    check(f'{name}: capabilities of NVIDIA', environment.get('NVIDIA_DRIVER_CAPABILITIES') ==
          (CAPABILITIES if nvidia else None))
    check(f'{name}: GPU reservation', ('deploy' in service) == nvidia)
    if nvidia:
        wanted = service['deploy']['resources']['reservations']['devices'][0]
        check(f'{name}: all cards, all capabilities', wanted['driver'] == 'nvidia' and wanted['count'] == 'all' and
              set(wanted['capabilities']) == {'gpu'} | set(CAPABILITIES.split(',')))
    check(f'{name}: the whole of /dev/dri', (DRI in devices) == dri)
    check(f'{name}: /dev/kfd', (KFD in devices) == amd)
    check(f'{name}: groups of the nodes', [re.sub(r'\$\{\w+:-(\w+)\}', r'\1', g) for g in
                                           service.get('group_add', [])] == (['video', 'render'] if dri else []))
    check(f'{name}: variables of AMD', AMD <= set(environment) if amd else not AMD & set(environment))
    check(f'{name}: unset stays unset', all(environment[key] is None for key in AMD & set(environment)))

# Said once, and used from there.
for key in sorted(AMD) + ['NVIDIA_DRIVER_CAPABILITIES']:
    check(f'{key}: set in one place', len(re.findall(rf'^\s+{key}:', text, re.M)) == 1)
reason = text[:text.index('NVIDIA_DRIVER_CAPABILITIES:')].rsplit('\n\n', 1)[1]
check('the reason for the capabilities stands beside them', '#' in reason and 'graphics' in reason)

# The image says the same for those who run it without compose.
check('the image has the capabilities, too', f'NVIDIA_DRIVER_CAPABILITIES={CAPABILITIES}' in containerfile)
check('the image asks the doctor', re.search(r'^HEALTHCHECK .*"vmaf", "--doctor"', containerfile, re.M))
check('several stages', len(re.findall('^FROM ', containerfile, re.M)) == 2)
check("Intel's driver is an argument", 'ARG INTEL_VA_DRIVER=intel-media-va-driver\n' in containerfile)

for problem in problems:
    print('not so:', problem)
sys.exit(1 if problems else 0)
