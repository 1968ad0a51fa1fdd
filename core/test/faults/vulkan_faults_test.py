#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes each call of a Vulkan driver go wrong once during a whole run of the command: it fails with
each error that it may return, the device is lost, or the call never finishes. The command must end
with the right scores or with an error message. It must not die of a signal, not hang, and not
destroy a semaphore that a queue may still hold.

usage: vulkan_faults_test.py VMAF SYNTHCLIP SHIM WORKDIR [--all] [--leaks]

Without --all, it tries only the first two calls and the last call of each function, and none of the
self-test of a new device. --leaks: the sanitizer looks for leaks, except those of drivers.
"""
import json
import os
import shutil
import subprocess
import sys

vmaf, synthclip, shim, work = (os.path.abspath(p) for p in sys.argv[1:5])
every, leaks = '--all' in sys.argv, '--leaks' in sys.argv
TIMEOUT = 300
SKIP = 77

HOST, DEVICE, INIT, LOST, MAP, EXTENSION, FEATURE, DRIVER, OBJECTS, POOL = -1, -2, -3, -4, -5, -7, -8, -9, -10, -1000069000
NOT_READY, TIMED_OUT = 1, 2
# The errors that each function may return. A function that is not listed may only run out of
# memory.
ERRORS = {
    'vkCreateInstance': [HOST, DEVICE, INIT, EXTENSION, DRIVER],
    'vkEnumeratePhysicalDevices': [HOST, DEVICE, INIT],
    'vkCreateDevice': [HOST, DEVICE, INIT, EXTENSION, FEATURE, OBJECTS, LOST],
    'vkQueueSubmit': [HOST, DEVICE, LOST],
    'vkAllocateMemory': [HOST, DEVICE, OBJECTS],
    'vkMapMemory': [HOST, DEVICE, MAP],
    'vkCreateDescriptorPool': [HOST, DEVICE, -1000161000],
    'vkAllocateDescriptorSets': [HOST, DEVICE, -12, POOL],
    'vkGetQueryPoolResults': [HOST, DEVICE, LOST, NOT_READY],
    'vkWaitSemaphores': [HOST, DEVICE, LOST, TIMED_OUT],
    'vkQueueWaitIdle': [HOST, DEVICE, LOST],
}
# These calls free or store something, or wait at the end. If they fail, the scores are still right.
HARMLESS = {'vkGetPipelineCacheData', 'vkFreeDescriptorSets', 'vkEnumerateInstanceLayerProperties', 'vkQueueWaitIdle'}
# Messages of the command if there is no device.
NO_DEVICE = ('no device found', 'cannot be used, it lacks', 'no Vulkan loader')
ARGUMENTS = ('-r r.yuv -d d.yuv -w 64 -h 48 -p 420 -b 8 -q -n --feature psnr --feature motion --backend vulkan '
             '--vulkan_allow_software --json -o report.json').split()
# Libraries whose leaks do not count: drivers, their compilers and the loader.
SUPPRESSIONS = ['libvulkan', 'libLLVM', 'ld-linux', 'libdrm', 'libxcb', 'libX11', 'libwayland', '_dl_', 'dlopen', 'libgallium']


class Failure(Exception):
    pass


def find_library():
    listed = subprocess.run(['/sbin/ldconfig', '-p'], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        if line.split()[:1] == ['libvulkan.so.1']:
            return line.split()[-1]
    return None


def run(library, cache, extra=None, more=()):
    """Runs the command. Returns the exit code, the messages and the scores of the report."""
    path = f'{work}/report.json'
    if os.path.exists(path):
        os.remove(path)
    # Memory that a hanging device might still write to is leaked on purpose.
    fault = (extra or {}).get('VMAF_VULKAN_FAULT', '')
    hunted = leaks and not (fault.endswith('hangs') or '+' in fault)
    options = os.environ.get('ASAN_OPTIONS', '') + \
        f':detect_leaks={int(hunted)}:allocator_may_return_null=1:verify_asan_link_order=0'
    env = {**os.environ, 'LD_LIBRARY_PATH': os.path.dirname(shim), 'VMAF_VULKAN_LIBRARY': library, 'VMAF_CACHE_DIR': cache,
           'LD_PRELOAD': shim if leaks else '', 'ASAN_OPTIONS': options,
           'LSAN_OPTIONS': f'suppressions={work}/leaks:print_suppressions=0', **(extra or {})}
    try:
        done = subprocess.run([vmaf, *ARGUMENTS, *more], cwd=work, env=env, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f'hangs: more than {TIMEOUT} s') from None
    scores = None
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            report = json.load(file)
        scores = [report['frames'], report['pooled_metrics'], {k: v['backend'] for k, v in report['backends'].items()}]
    # The warning about software devices is not about the fault.
    lines = done.stderr.decode(errors='replace').splitlines(keepends=True)
    return done.returncode, ''.join(line for line in lines if ' is a software device: ' not in line), scores


def read_counts(path):
    """Returns how often each function was called, as the shim counted."""
    with open(path, encoding='ascii') as file:
        return {line.split()[0]: int(line.split()[1]) for line in file}


def check(library, cache, order, wanted):
    name, number, what = order.split(':')
    path = f'{work}/fault.counts'
    try:
        code, text, scores = run(library, cache, {'VMAF_VULKAN_FAULT': order, 'VMAF_VULKAN_COUNTS': path})
    except Failure as failure:
        raise Failure(f'{order}: {failure}') from None
    if code == 0 and scores != wanted:
        raise Failure(f'{order}: exit code 0 with {scores}, not {wanted}\n{text}')
    # Frames that are ready together share a submission: a busy machine may need fewer.
    if code == 0 and what == 'hangs' and read_counts(path).get(name, 0) >= int(number):
        raise Failure(f'{order}: exit code 0, though nothing was finished')
    if code not in (0, 255):
        raise Failure(f'{order}: exit code {code}\n{text}')
    if code and not text.strip():
        raise Failure(f'{order}: fails without saying why\n{text}')
    if code and what != 'hangs' and name in HARMLESS and what != 'lost':
        raise Failure(f'{order}: exit code {code}, although the command does not need this call\n{text}')
    if code and name == 'vkWaitSemaphores' and what in (str(HOST), str(DEVICE)) and not number.endswith('+'):
        raise Failure(f'{order}: exit code {code}, although waiting again is enough\n{text}')
    if name == 'vkAllocateMemory' and what in (str(HOST), str(DEVICE)) and (code or text.strip()):
        raise Failure(f'{order}: exit code {code} or a message, although a smaller request is enough\n{text}')
    if not code and name == 'vkWaitSemaphores' and number == '1+':
        raise Failure(f'{order}: exit code 0, though nothing could be waited for')
    return code


def check_doubles(library, cache):
    """Checks that kernels with doubles run if the user asks for them and the device supports them.
    The shim checks each kernel."""
    wanted = None
    for asked, hidden in [('0', {}), ('1', {}), ('1', {'VMAF_VULKAN_NO_DOUBLES': '1'})]:
        code, text, scores = run(library, cache, {'VMAF_GPU_DOUBLES': asked, 'VMAF_GPU_PROFILE': '1', **hidden},
                                 ['--feature', 'float_ssim'])
        wanted = wanted or scores
        ignored = 'VMAF_GPU_DOUBLES=1 is ignored' in text
        if code or not scores or scores != wanted:
            raise Failure(f'doubles {asked} {hidden}: exit code {code} with {scores}, not {wanted}\n{text}')
        if ('_f64' in text) != (asked == '1' and not ignored) or (hidden and not ignored):
            raise Failure(f'doubles {asked} {hidden}: other kernels than wanted\n{text}')


def orders(counts):
    for name, count in counts.items():
        numbers = range(1, count + 1) if every and count < 20 else sorted({1, 2, count} & set(range(1, count + 1)))
        for number in numbers:
            for error in ERRORS.get(name, [HOST, DEVICE]) if every or number == 1 else [DEVICE]:
                yield f'{name}:{number}:{error}'
            if name in ('vkCreateDevice', 'vkQueueSubmit', 'vkWaitSemaphores', 'vkAllocateMemory', 'vkCreateBuffer'):
                yield f'{name}:{number}:lost'
            # Later waits are not tried, because after one wait the work is done.
            if name == 'vkQueueSubmit' or (name == 'vkWaitSemaphores' and number == 1):
                yield f'{name}:{number}:hangs'
            if name in ('vkWaitSemaphores', 'vkQueueWaitIdle'):
                yield f'{name}:{number}+:{HOST}'


def count_calls(library, cache):
    path = f'{work}/counts'
    code, text, scores = run(library, cache, {'VMAF_VULKAN_COUNTS': path})
    if code == 255 and any(words in text for words in NO_DEVICE):
        print(f'skipped: no Vulkan device that can be used\n{text}')
        sys.exit(SKIP)
    if code or not scores:
        sys.exit(f'without a fault: exit code {code}\n{text}')
    return scores, read_counts(path)


def main():
    library = find_library()
    if not library:
        print('skipped: no libvulkan.so.1')
        sys.exit(SKIP)
    os.makedirs(work, exist_ok=True)
    with open(f'{work}/leaks', 'w', encoding='ascii') as file:
        file.writelines(f'leak:{name}\n' for name in SUPPRESSIONS)
    subprocess.run([synthclip, 'mix', '64', '48', '420', '8', '3', f'{work}/r.yuv', f'{work}/d.yuv'], check=True)
    # The first run stores the self-test's result and the compiled kernels, which later runs find.
    cache = f'{work}/cache'
    count_calls(library, cache)
    wanted, counts = count_calls(library, cache)
    total = failed = 0
    try:
        check_doubles(library, cache)
        for order in orders(counts):
            total, failed = total + 1, failed + (check(library, cache, order, wanted) != 0)
        if every:  # faults in the self-test
            for name, count in count_calls(library, '')[1].items():
                for number in sorted({1, count // 2, count} - {0}):
                    total, failed = total + 1, failed + (check(library, '', f'{name}:{number}:{DEVICE}', wanted) != 0)
    except Failure as failure:
        sys.exit(str(failure))
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    print(f'{total} runs, of which {failed} failed as they should')
    if not failed:
        sys.exit('nothing failed: were the faults there at all?')


main()
