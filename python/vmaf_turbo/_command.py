# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores of files, by the command."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any, List, Optional, Union

from ._arguments import Features, Models, features_of, metric_of, models_of, text_of
from ._errors import VmafError
from ._files import command
from ._result import Result

Path = Union[str, 'os.PathLike[str]']


def _words(options: Any) -> List[str]:
    """The command's words for options such as frame_cnt=10, scale='bicubic' or local_only=True."""
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(f'--{name}')
            elif one is not None and one is not False:
                words += [f'--{name}', text_of(one)]
    return words


def _run(words: List[str]) -> None:
    """Runs the command. It ends with this call, also when Ctrl-C ends the call. What it says without failing, such as
    that a software device computes the scores, goes to standard error."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors='replace') as child:
        try:
            said = child.communicate()[1].strip()
        except BaseException:
            child.send_signal(signal.SIGINT)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
            raise
    if child.returncode:
        raise VmafError(said or f'the command ended with {child.returncode}', child.returncode)
    if said:
        print(said, file=sys.stderr)


def score(reference: Path, distorted: Path, *, model: Models = 'vmaf_v0.6.1', features: Features = (),
          backend: Optional[str] = None, device: Union[str, int, None] = None, **options: Any) -> Result:
    """Scores a file against its reference.

    model      a built-in model, a file, 'auto', or a list of them; [] computes only features
    features   'psnr', a list, or {'psnr': {'enable_chroma': False}}
    backend    'cpu', 'vulkan', 'cuda', 'hip' or 'sycl': the run fails if it cannot be used
    device     the backend's device: a number, a UUID, a PCI address or a part of its name
    options    all other options of the command, by their long names: frame_cnt=10, scale='bicubic', hwaccel='auto';
               raw video needs width, height, pixel_format ('420') and bitdepth

    Raises VmafError with the command's message. Other threads run meanwhile. Ctrl-C ends the command, too.
    """
    words = [command(), '--reference', os.fspath(reference), '--distorted', os.fspath(distorted), '--json', '--quiet',
             '--precision', 'max']
    models = models_of(model)
    for number, name in enumerate(models):
        words += ['--model', name if number == 0 or ':' in name else f'{name}:name={metric_of(name)}']
    if not models:
        words.append('--no_prediction')
    for name, settings in features_of(features):
        items = ':'.join(f'{key}={value}' for key, value in settings.items())
        words += ['--feature', f'{name}={items}' if items else name]
    words += _words({'backend': backend, 'device': device, **options})
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'report.json')
        _run(words + ['--output', path])
        with open(path, encoding='utf-8') as file:
            return Result(json.load(file))
