# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Video quality by vmaf-turbo: VMAF, PSNR, SSIM and the other metrics of libvmaf 3.2, to the last bit.

    import vmaf_turbo
    result = vmaf_turbo.score('reference.mp4', 'distorted.mp4')
    print(result.score, result.frames['vmaf'])

score() compares two files. A Scorer compares frames that are in memory, such as arrays of numpy.
"""
from ._command import score
from ._errors import VmafError
from ._files import version
from ._result import Result, Warning
from ._scorer import Scorer

__all__ = ['Result', 'Scorer', 'VmafError', 'Warning', 'score', 'version']
__version__ = '3.2.0'
