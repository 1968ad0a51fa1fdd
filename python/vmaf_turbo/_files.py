# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Finds the command and the library: those that the environment names, those of this package, or the system's."""
import ctypes
import functools
import os
import shutil
from typing import Optional

from ._errors import VmafError

# A wheel has the files of a release under their names there.
_OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'native')
_COMMAND, _LIBRARY = 'libexec/vmaf-turbo/glibc/vmaf', 'lib/libvmaf.so.3'


def _find(variable: str, own: str) -> Optional[str]:
    named = os.environ.get(variable)
    if named:
        if not os.path.isfile(named):
            raise VmafError(f'{variable} in the environment is {named}, which is no file')
        return named
    path = os.path.join(_OWN, own)
    return path if os.path.isfile(path) else None


def command() -> str:
    """The path of the command."""
    path = _find('VMAF_TURBO_COMMAND', _COMMAND) or shutil.which('vmaf')
    if not path:
        raise VmafError('there is no command vmaf: install vmaf-turbo, or name the program in VMAF_TURBO_COMMAND')
    return path


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library. Python's lock is released during calls of its functions."""
    path = _find('VMAF_TURBO_LIBRARY', _LIBRARY) or 'libvmaf.so.3'
    try:
        found = ctypes.CDLL(path)
    except OSError as error:
        raise VmafError(f'the library cannot be opened: {error}; install vmaf-turbo, or name libvmaf.so.3 in '
                        'VMAF_TURBO_LIBRARY') from error
    if not hasattr(found, 'vmaf_report_details'):
        raise VmafError(f'{path} is a libvmaf, but not that of vmaf-turbo')
    found.vmaf_version.restype = ctypes.c_char_p
    return found


def version() -> str:
    """The library's version: '3.2.0'."""
    return library().vmaf_version().decode()
