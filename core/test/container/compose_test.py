#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Checks that each profile of the compose file has the device nodes, groups and variables that its
backends need. Without them a backend would fail, or silently run in software.

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
HARDWARE = ['--require', 'hardware']
HEALTH = {'cpu': ['cpu'], 'nvidia': ['cuda,vulkan', *HARDWARE], 'intel': ['vulkan', *HARDWARE, '--require', 'Intel'],
          'amd': ['hip,vulkan', *HARDWARE], 'all': ['cuda,hip,vulkan', *HARDWARE]}
AMD = {'HSA_OVERRIDE_GFX_VERSION', 'HSA_ENABLE_SDMA', 'ROCR_VISIBLE_DEVICES'}

check('one service for each profile', set(services) == {'cpu', 'nvidia', 'intel', 'amd', 'all', 'mcp'})
for name, service in services.items():
    check(f'{name}: it has the profile of its name', service['profiles'] == [name])
    check(f'{name}: it uses the same image as the others', service['image'] == services['cpu']['image'])
    check(f'{name}: it is built from a file of this tree', os.path.exists(os.path.join(tree, 'dev', service['build']['context'],
                                                             service['build']['dockerfile'])))
    if name in HEALTH:
        check(f'{name}: its health check runs the doctor on its backends', service['healthcheck']['test'] ==
              ['CMD', 'vmaf-entrypoint', 'vmaf', '--doctor', '--backend', *HEALTH[name]])
        check(f'{name}: it stays, so that the health check runs', service['command'] == ['sleep', 'infinity'] and service['init'])
    # A path with a dot is relative to the folder of the compose file, not to the current one.
    check(f'{name}: the videos are those of the current folder', service['volumes'][0].startswith('${VIDEOS:-${PWD:?') and
          '}:/videos' in service['volumes'][0])
    check(f'{name}: it is not root', service['user'].startswith('${VMAF_UID:-1000}:'))
    check(f'{name}: it has no more rights than it needs', not {'security_opt', 'privileged'} & set(service) and
          service.get('cap_add', []) == (['SYS_NICE'] if name in ('amd', 'all') else []))
    environment = service.get('environment', {})
    devices = service.get('devices', [])
    nvidia = name in ('nvidia', 'all')
    amd = name in ('amd', 'all')
    dri = name in ('intel', 'amd', 'all')
    check(f"{name}: NVIDIA's driver capabilities", environment.get('NVIDIA_DRIVER_CAPABILITIES') ==
          (CAPABILITIES if nvidia else None))
    check(f'{name}: GPU reservation', ('deploy' in service) == nvidia)
    if nvidia:
        wanted = service['deploy']['resources']['reservations']['devices'][0]
        check(f'{name}: it reserves all cards with all capabilities', wanted['driver'] == 'nvidia' and wanted['count'] == 'all' and
              set(wanted['capabilities']) == {'gpu'} | set(CAPABILITIES.split(',')))
    check(f'{name}: all of /dev/dri', (DRI in devices) == dri)
    check(f'{name}: /dev/kfd', (KFD in devices) == amd)
    check(f'{name}: the groups that own the device nodes', [re.sub(r'\$\{\w+:-(\w+)\}', r'\1', g) for g in
                                           service.get('group_add', [])] == (['video', 'render'] if dri else []))
    check(f"{name}: AMD's variables", AMD <= set(environment) if amd else not AMD & set(environment))
    check(f'{name}: a variable that the user did not set stays unset', all(environment[key] is None for key in AMD & set(environment)))

# Each value is written once, and services refer to it.
for key in sorted(AMD) + ['NVIDIA_DRIVER_CAPABILITIES']:
    check(f'{key}: set in one place', len(re.findall(rf'^\s+{key}:', text, re.M)) == 1)
reason = text[:text.index('NVIDIA_DRIVER_CAPABILITIES:')].rsplit('\n\n', 1)[1]
check('a comment beside the capabilities gives the reason', '#' in reason and 'graphics' in reason)

# The image sets the same for people who run it without compose.
check('the image sets the capabilities, too', f'NVIDIA_DRIVER_CAPABILITIES={CAPABILITIES}' in containerfile)
check("the image's health check runs the doctor", re.search(r'^HEALTHCHECK .*"vmaf", "--doctor"', containerfile, re.M))
check('the stages', re.findall('^FROM (.*)$', containerfile, re.M) == ['${BASE} AS build', 'build AS sycl', '${BASE}'])
check('SYCL is off by default', 'ARG SYCL_SOURCE=\n' in containerfile and
      services['cpu']['build']['args']['SYCL_SOURCE'] == '${SYCL_SOURCE:-}')
check('the base image is named by its digest',
      re.search(r'^ARG BASE=docker\.io/library/debian:bookworm-slim@sha256:[0-9a-f]{64}$', containerfile, re.M))
check('the base image is in the Containerfile alone', services['cpu']['build']['args']['BASE'] is None)
user = re.search(r'^USER (\d+)', containerfile, re.M)
check('the image is not for root', user and int(user[1]) > 0)
with open(os.path.join(tree, 'dev/scripts/install-runtime.sh')) as file:
    runtime = file.read()
for package in ('ffmpeg', 'socat', 'intel-opencl-icd', 'libze1', 'mesa-vulkan-drivers', 'libamdhip64-5'):
    check(f'the image has {package}', re.search(rf'\b{package}\b', runtime))
check("Intel's driver is a build argument", 'ARG INTEL_VA_DRIVER=intel-media-va-driver\n' in containerfile)

for problem in problems:
    print('not so:', problem)
sys.exit(1 if problems else 0)
