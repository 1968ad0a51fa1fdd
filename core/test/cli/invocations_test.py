#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Tests good, odd and bad invocations: exit code, number of frames in the report, and messages.

usage: invocations_test.py VMAF SYNTHCLIP WORKDIR

The command must never die of a signal, print to stdout, or write a report although it fails, except for videos that
are cut off.
"""
import os
import re
import shlex
import subprocess
import sys

import inputs

vmaf, synthclip, work = (os.path.abspath(p) for p in sys.argv[1:4])
RAW = '-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8'
TWO = '--model vmaf_v0.6.1:name=a --model vmaf_v0.6.1:name=b:vif.vif_enhn_gain_limit=1'
USAGE, FAIL = 1, 255
NONE = None  # no report is expected

# (arguments, exit code, frames in out.xml, what stderr must contain). $RAW stands for a good pair of raw videos.
CASES = [
    # the command line
    ('', USAGE, NONE, 'no videos are given: vmaf REFERENCE DISTORTED...'),
    ('-h', USAGE, NONE, '--help'),
    ('-v -w abc', 0, NONE, '3.2.0'),
    ('-d d.y4m', USAGE, NONE, '-r/--reference'),
    ('-r r.y4m', USAGE, NONE, '-d/--distorted'),
    ('-r - -d -', USAGE, NONE, 'standard input'),
    ('-r r.yuv -d d.yuv -w 64', USAGE, NONE, 'required for .yuv input: --height/-h --pixel_format/-p --bitdepth/-b'),
    ('-r r.yuv -d d.yuv -w 64 -h 64 -p 420', USAGE, NONE, '--bitdepth/-b'),
    ('-r r.yuv -d d.yuv -w 0 -h 64 -p 420 -b 8', USAGE, NONE, '--width/-w'),
    ('-r r.yuv -d d.yuv -w abc -h 64 -p 420 -b 8', USAGE, NONE,
     'Invalid argument "abc" for option -w/--width; should be an integer'),
    ('-r r.yuv -d d.yuv -w 64px -h 64 -p 420 -b 8', USAGE, NONE, '64px'),
    ('-r r.yuv -d d.yuv -w "" -h 64 -p 420 -b 8', USAGE, NONE, 'Invalid argument ""'),
    ('-r r.yuv -d d.yuv -w 0x40 -h 64 -p 420 -b 8 -o out.xml', 0, 2, ''),
    ('-r r.yuv -d d.yuv -w 0100 -h 64 -p 420 -b 8 -o out.xml', 0, 2, ''),
    ('-r r.yuv -d d.yuv -w -64 -h 64 -p 420 -b 8', USAGE, NONE, '-64'),
    ('-r r.yuv -d d.yuv -w 99999999999 -h 64 -p 420 -b 8', USAGE, NONE, '99999999999'),
    ('-r r.yuv -d d.yuv -w 4294967295 -h 4294967295 -p 444 -b 16', FAIL, NONE, 'too large'),
    ('-r r_mono.yuv -d d_mono.yuv -w 64 -h 64 -p 400 -b 8 -o out.xml', 0, 2, ''),
    ('-r r.yuv -d d.yuv -w 64 -h 64 -p yuv420p -b 8', USAGE, NONE, 'valid pixel format'),
    ('-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b 9', USAGE, NONE, 'valid bitdepth (8/10/12/16)'),
    ('-r r.yuv -d d.yuv -w 64 -h 64 -p 420 -b eight', USAGE, NONE, 'should be an integer'),
    ('$RAW --threads abc', USAGE, NONE, '--threads'),
    ('$RAW --threads -1', USAGE, NONE, '--threads'),
    ('$RAW --threads 4294967295', USAGE, NONE, '1024 or less'),
    ('$RAW --subsample abc', USAGE, NONE, '--subsample'),
    ('$RAW --subsample -1 -o out.xml', USAGE, NONE, '--subsample'),
    ('$RAW --cpumask abc', USAGE, NONE, '--cpumask'),
    ('$RAW --gpumask abc', USAGE, NONE, '--gpumask'),
    ('$RAW --frame_cnt abc', USAGE, NONE, '--frame_cnt'),
    ('$RAW --frame_skip_ref abc', USAGE, NONE, '--frame_skip_ref'),
    ('$RAW --precision 18', USAGE, NONE, '--precision'),
    ('$RAW --precision 0', USAGE, NONE, '--precision'),
    ('$RAW --foo -o out.xml', USAGE, NONE, "unknown option '--foo' (vmaf"),
    ('r.y4m', USAGE, NONE, 'no distorted video beside the reference r.y4m'),
    # typing errors
    ('$RAW --modle vmaf', USAGE, NONE, "unknown option '--modle'; did you mean --model?"),
    ('$RAW --fail-undr 3', USAGE, NONE, 'did you mean --fail_under?'),
    ('$RAW --model vmaf_v0.61', FAIL, NONE, 'did you mean vmaf_v0.6.1?'),
    ('$RAW --model vmfa_4k_v0.6.1', FAIL, NONE, 'did you mean vmaf_4k_v0.6.1?'),
    ('$RAW --feature psnrr', FAIL, NONE, 'did you mean psnr?'),
    ('$RAW --feature psnr=enable_chorma=true', FAIL, NONE, 'did you mean enable_chroma?'),
    # two models of one kind, and limits for one of them
    ('$RAW $TWO', 0, NONE, 'vmaf_v0.6.1 (a): 86.289121\nvmaf_v0.6.1 (b): 86.271652'),
    ('$RAW $TWO --fail-under b=86.28', 2, NONE, 'vmaf_v0.6.1 (b): its mean is 86.271652, below 86.28'),
    ('$RAW $TWO --fail-under a=86.28 --fail-under b=80:min', 0, NONE, ''),
    ('$RAW $TWO --fail-under c=1', USAGE, NONE, 'no model or feature is called "c"; there is a, b'),
    ('$RAW --fail-under vmaff=1', USAGE, NONE, 'no model or feature is called "vmaff"; there is vmaf'),
    ('$RAW --fail-under vmaf_v0.6.1=90', 2, NONE, 'below 90'),
    ('$RAW --model auto --fail-under auto=99', 2, NONE, 'below 99'),
    # another size than the model's
    ('$RAW --model vmaf_4k_v0.6.1 -o out.xml', 0, 2, 'vmaf_4k_v0.6.1 was made for 3840x2160, and the videos are scored at 64x64'),
    # pages, and formats without a path
    ('$RAW -o a.html --html b.html', USAGE, NONE, 'b.html and a.html are two pages of one run'),
    ('$RAW -o a.htm -o b.html', USAGE, NONE, 'a.htm and b.html are two pages'),
    ('-r r.yuv -d d.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 --json', USAGE, NONE, 'add -o NAME.EXT'),
    ('--report x.json --csv', USAGE, NONE, 'not another report'),
    ('$RAW -z -o out.xml', USAGE, NONE, "unknown option '-z'"),
    ('$RAW --frame_skip 1 -o out.xml', USAGE, NONE, "ambiguous option '--frame_skip'"),
    ('$RAW --quiet=1 -o out.xml', USAGE, NONE, 'takes no value'),
    ('$RAW --out out.xml', 0, 2, ''),
    ('$RAW --output=out.xml', 0, 2, ''),
    ('$RAW --no -oout.xml', 0, 0, ''),  # --no_prediction is the only option of the reference that begins like this
    ('$RAW -c 1 -o out.xml', 0, 2, ''),
    ('$RAW --cpumask -1 -o out.xml', 0, 2, ''),
    ('$RAW --gpumask -1 -o out.xml', 0, 2, ''),
    ('$RAW -o', USAGE, NONE, "requires a value"),
    ('$RAW stray -o out.xml', USAGE, NONE, "unexpected argument 'stray'"),
    ('stray $RAW -o out.xml', USAGE, NONE, "unexpected argument 'stray'"),
    ('r.y4m d.y4m -o out.xml', 0, 2, ''),
    ('-o out.xml r.y4m --feature psnr d.y4m', 0, 2, ''),
    ('-o out.xml -- r.y4m d.y4m', 0, 2, ''),
    ('r.y4m', USAGE, NONE, '-d/--distorted'),
    ('- -', USAGE, NONE, 'standard input'),
    ('r.y4m d.y4m d.y4m d.y4m -- -n', FAIL, NONE, 'could not open file: -n'),
    ('-- -o out.xml', FAIL, NONE, 'could not open file: -o'),
    ('$RAW -r r.yuv', USAGE, NONE, 'two reference videos are given'),
    ('$RAW --frame-cnt 1 --no-prediction --feature psnr -o out.xml', 0, 1, ''),
    ('$RAW --frame-c=1 -o out.xml', 0, 1, ''),
    ('$RAW --frame-skip 1 -o out.xml', USAGE, NONE, "ambiguous option '--frame-skip'"),
    ('$RAW --progress', 0, NONE, 'progress frame=2 total=2 fps='),
    ('$RAW --progress -q -o out.xml', 0, 2, 'progress frame=2 total=2 fps='),
    ('$RAW --tiny-model x', USAGE, NONE, 'unknown option'),
    ('$RAW -nq -o out.xml --feature psnr', 0, 2, ''),
    ('$RAW --aom_ctc proposed', USAGE, NONE, 'deprecated'),
    ('$RAW --aom_ctc v8.0', USAGE, NONE, 'bad aom_ctc version "v8.0"'),
    ('$RAW --nflx_ctc v2.0', USAGE, NONE, 'bad nflx_ctc version "v2.0"'),
    ('$RAW --aom_ctc v1.0 --model version=vmaf_v0.6.1', USAGE, NONE, 'uniquely named'),
    ('$RAW --aom_ctc v6.0 -o out.xml', FAIL, NONE, 'float_ms_ssim'),

    # backends: with a backend that is named, the features run there or the command fails
    ('$RAW --backend nope', USAGE, NONE, '--backend'),
    ('$RAW --backend metal', USAGE, NONE, '--backend'),
    ('$RAW --backend cpu -o out.xml', 0, 2, ''),
    ('$RAW --backend cuda --no_cuda', USAGE, NONE, '--no_cuda'),
    ('$RAW --backend vulkan --gpumask 1', USAGE, NONE, '--gpumask'),
    ('$RAW --metal_device 0', USAGE, NONE, 'unknown option'),
    ('$RAW --backend cpu --device 0', USAGE, NONE, '--backend is cpu'),
    ('$RAW --backend cuda --vulkan_device 0', USAGE, NONE, '--vulkan_device asks for the vulkan backend, but --backend is cuda'),
    ('$RAW --vulkan_device 0 --backend cpu', USAGE, NONE, '--vulkan_device asks for the vulkan backend, but --backend is cpu'),
    ('$RAW --cuda_device 0 --vulkan_device 0', USAGE, NONE, '--cuda_device and --vulkan_device ask for two backends'),
    ('$RAW --backend cpu --backend cuda', USAGE, NONE, '--backend is given twice, as cpu and as cuda'),
    ('--report report.json --backend cuda', USAGE, NONE, 'measures nothing: leave out --backend'),
    ('--vulkan_device 0 --report report.json', USAGE, NONE, 'measures nothing: leave out --device'),
    ('--list_devices --device 0', USAGE, NONE, 'leave out --device'),
    ('--vulkan_device 0 --list_devices', USAGE, NONE, 'leave out --vulkan_device'),
    ('--list_devices --backend cpu', USAGE, NONE, 'lists GPUs, but --backend is cpu'),
    ('--list_devices --backend cuda --backend hip', USAGE, NONE, '--backend is given twice'),
    ('--list_devices --doctor', USAGE, NONE, '--list_devices'),
    ('--doctor --list_devices', USAGE, NONE, '--doctor'),
    ('r.y4m d.y4m --list_devices', USAGE, NONE, 'takes no videos'),
    ('$RAW --device 0 --device 1', USAGE, NONE, 'two devices are chosen, 0 and 1'),
    ('$RAW --device 0 --gpumask 1', USAGE, NONE, '--gpumask'),
    ('$RAW --device nothing_is_called_so', FAIL, NONE, 'no backend has a device "nothing_is_called_so"'),
    ('$RAW --backend cpu --feature vif_cuda', USAGE, NONE, '--backend is cpu'),
    ('$RAW --backend hip --feature vif_cuda', USAGE, NONE, 'a run can use only one'),
    ('$RAW --feature adm_hip --feature vif_cuda', USAGE, NONE, 'a run can use only one'),
    ('$RAW --feature vif_cuda --no_cuda', USAGE, NONE, '--no_cuda'),
    ('$RAW --backend vulkan --device nothing_is_called_so', FAIL, NONE, '--list_devices'),
    ('$RAW --backend auto --no_cuda --no_hip --no_vulkan --no_sycl -o out.xml', 0, 2, 'using the CPU'),
    ('$RAW --no_metal --no_hip --no_sycl --no_vulkan --no_cuda -o out.xml', 0, 2, ''),

    # files
    ('-r nope.y4m -d d.y4m', FAIL, NONE, 'could not open file: nope.y4m: No such file'),
    ('-r r.y4m -d nope.y4m', FAIL, NONE, 'could not open file: nope.y4m: No such file'),
    ('-r . -d d.y4m', FAIL, NONE, 'directory'),
    ('-r noise.y4m -d d.y4m', FAIL, NONE, 'raw video needs -w, -h, -p and -b'),
    ('-r empty -d d.y4m', FAIL, NONE, 'empty: the file is empty'),
    ('-r endless.y4m -d d.y4m', FAIL, NONE, 'does not end'),
    ('-r r_header.y4m -d d_header.y4m', FAIL, NONE, 'no frames'),
    ('-r r_header.y4m -d d_header.y4m --threads 2', FAIL, NONE, 'no frames'),
    ('-r version1.y4m -d d.y4m -o out.xml', 0, 2, 'Warning'),
    ('-r r_no_i.y4m -d d_no_i.y4m -o out.xml', 0, 2, 'assuming progressive'),
    ('-r interlaced.y4m -d d.y4m', FAIL, NONE, 'only progressive'),
    ('-r no_f.y4m -d d.y4m -o out.xml', 0, 2, ''),
    ('-r bad_f.y4m -d d.y4m -o out.xml', 0, 2, ''),
    ('-r no_w.y4m -d d.y4m', FAIL, NONE, 'no width tag (W)'),
    ('-r no_h.y4m -d d.y4m', FAIL, NONE, 'no height tag (H)'),
    ('-r bad_w.y4m -d d.y4m', FAIL, NONE, 'bad width'),
    ('-r huge_w.y4m -d d.y4m', FAIL, NONE, 'bad width'),
    ('-r large_w.y4m -d d.y4m', FAIL, NONE, 'too large'),
    ('-r zero_w.y4m -d d.y4m', FAIL, NONE, 'bad width'),
    ('-r r_no_c.y4m -d d_no_c.y4m -o out.xml', 0, 2, ''),
    ('-r r_mpeg2.y4m -d d_mpeg2.y4m -o out.xml', 0, 2, ''),
    ('-r r_paldv.y4m -d d_paldv.y4m -o out.xml', 0, 2, ''),
    ('-r r422.y4m -d d422.y4m -o out.xml', 0, 2, ''),
    ('-r r411.y4m -d d411.y4m -o out.xml', FAIL, NONE, '4:1:1'),
    ('-r r_mono.y4m -d d_mono.y4m -o out.xml', 0, 2, ''),
    ('-r r444.y4m -d d444.y4m -o out.xml', 0, 2, ''),
    ('-r r444a.y4m -d d444a.y4m -o out.xml', 0, 2, ''),
    ('-r r10.y4m -d d10.y4m -o out.xml', 0, 2, ''),
    ('-r c420p16.y4m -d d.y4m', FAIL, NONE, 'bitdepths do not match: 16'),
    ('-r c440.y4m -d d.y4m', FAIL, NONE, 'C440'),
    ('-r c_long.y4m -d d.y4m', FAIL, NONE, 'C420jpegjpegjpegjpeg'),
    ('-r r_x.y4m -d d_x.y4m -o out.xml', 0, 2, ''),
    ('-r long_header.y4m -d d.y4m -o out.xml', 0, 2, ''),
    ('-r r_params.y4m -d d_params.y4m -o out.xml', 0, 2, ''),
    ('-r long_mark.y4m -d d.y4m -o out.xml', 0, 2, ''),
    ('-r endless_mark.y4m -d d.y4m -o out.xml', FAIL, NONE, 'cut off within frame 0'),
    ('-r bad_mark.y4m -d d.y4m -o out.xml', FAIL, NONE, 'cut off within frame 0'),
    ('-r r_odd.y4m -d d_odd.y4m -o out.xml', 0, 2, ''),
    ('-r r_odd.yuv -d d_odd.yuv -w 97 -h 61 -p 420 -b 8 -o out.xml', 0, 5, ''),
    ('-r r.y4m -d d.y4m -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, NONE, 'r.y4m is a Y4M file'),
    ('-r empty -d empty -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, NONE, 'no frames'),
    ('-r empty -d empty -w 64 -h 64 -p 420 -b 8 --threads 2 -o out.xml', FAIL, NONE, 'no frames'),

    # videos that cannot be compared
    ('-r r10.y4m -d d.y4m -o out.xml', FAIL, NONE, 'bitdepths do not match: 10 (r10.y4m), 8 (d.y4m)'),
    ('-r r444.y4m -d d.y4m -o out.xml', FAIL, NONE, 'pixel formats do not match: 4:4:4 (r444.y4m), 4:2:0 (d.y4m)'),
    ('-r r.y4m -d 32x32.y4m -o out.xml', FAIL, NONE, 'dimensions do not match: 64x64 (r.y4m), 32x32 (32x32.y4m)'),
    ('-r r.y4m -d 62x60.y4m -o out.xml', FAIL, NONE, '62x60'),
    ('-r r10.y4m -d 32x32.y4m -o out.xml', FAIL, NONE, 'videos are incompatible, 2 problems.'),

    # samples above the depth
    ('-r r_p010.yuv -d d_p010.yuv -w 64 -h 64 -p 420 -b 10 -o out.xml', FAIL, NONE, 'frame 0: plane Y of the reference'),
    ('-r r10.yuv -d d_p010.yuv -w 64 -h 64 -p 420 -b 12 -o out.xml', FAIL, NONE, 'above 4095, the most that 12 bits hold'),
    ('-r r10.y4m -d d_p010.y4m -o out.xml', FAIL, NONE, 'frame 1: plane Y of the distorted'),
    ('-r r10.y4m -d d_p010.y4m -o out.xml --cpumask -1', FAIL, NONE, 'frame 1: plane Y of the distorted'),
    ('-r r10.y4m -d d_p010.y4m -o out.xml --threads 3', FAIL, NONE, 'frame 1: plane Y of the distorted'),
    ('-r r10.y4m -d d_p010.y4m --frame_cnt 1 -o out.xml', 0, 1, ''),
    ('-r r_p010.yuv -d d_p010.yuv -w 64 -h 64 -p 420 -b 16 -o out.xml', 0, 2, ''),
    ('-r r_high_cb.y4m -d d10.y4m -o out.xml', 0, 2, ''),  # no feature reads chroma
    ('-r r_high_cb.y4m -d d10.y4m --feature psnr -o out.xml', FAIL, NONE, 'frame 0: plane Cb of the reference'),
    ('-r big_r16.y4m -d big_d_p010.y4m --aom_ctc v6.0 -o out.xml', FAIL, NONE, 'big_d_p010.y4m: samples above 1023'),

    # lengths
    ('-r r_cut.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, 1, '"r_cut.yuv" is cut off within frame 1.\nproblem with d.yuv: only the 1 frame before'),
    ('-r r.yuv -d d_cut.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, 1, '"d_cut.yuv" is cut off within frame 1'),
    ('-r r_cut.yuv -d d_cut.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, 1, 'cut off within frame 1'),
    ('-r r_cut.yuv -d d_cut.yuv -w 64 -h 64 -p 420 -b 8 --threads 2 -o out.xml', FAIL, 1, 'cut off within frame 1'),
    ('-r r_cut.y4m -d d.y4m -o out.xml', FAIL, 1, '"r_cut.y4m" is cut off within frame 1'),
    ('-r r.y4m -d d_cut.y4m -o out.xml', FAIL, 1, '"d_cut.y4m" is cut off within frame 1'),
    ('-r r_short.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', FAIL, NONE, 'cut off within frame 0'),
    ('-r r1.yuv -d d.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', 0, 1, '"r1.yuv" ended before "d.yuv".\n'),
    ('-r r.yuv -d d1.yuv -w 64 -h 64 -p 420 -b 8 -q -o out.xml', 0, 1, '"d1.yuv" ended before "r.yuv".\n'),
    ('$RAW --frame_skip_ref 10 -o out.xml', FAIL, NONE, 'reference video has fewer than the 10 frames to skip'),
    ('$RAW --frame_skip_ref 10 --frame_skip_dist 10 -o out.xml', FAIL, NONE, 'fewer than the 10 frames'),
    ('$RAW --frame_skip_ref 2 -o out.xml', FAIL, NONE, 'no frames'),
    ('$RAW --frame_skip_dist 1 -o out.xml', 0, 1, 'ended before'),
    ('$RAW --frame_cnt 100 -o out.xml', 0, 2, ''),
    ('$RAW --frame_cnt 1 -o out.xml', 0, 1, ''),
    ('$RAW --subsample 0 -o out.xml', 0, 2, ''),
    ('$RAW --subsample 5 -o out.xml', 0, 1, ''),

    # the report
    ('$RAW -o no/such/dir/out.xml', FAIL, NONE, 'could not open file: no/such/dir/out.xml'),
    ('$RAW -o .', FAIL, NONE, 'directory'),
    ('$RAW -o /dev/full', FAIL, NONE, 'could not write file: /dev/full: No space left'),
    ('$RAW', 0, NONE, 'vmaf_v0.6.1: 86.289121\n'),
    ('$RAW -q', 0, NONE, 'vmaf_v0.6.1: 86.289121\n'),
    ('$RAW --precision 3', 0, NONE, 'vmaf_v0.6.1: 86.3\n'),
    ('$RAW -n -o out.xml', 0, 0, ''),
    ('$RAW --feature psnr', 0, NONE, 'vmaf_v0.6.1: 86.289121\npsnr_y: 32.503260\npsnr_cb: 32.064615\npsnr_cr: 32.179545\n'),
    ('$RAW -n --feature psnr=enable_chroma=false --precision 4', 0, NONE, 'psnr_y: 32.5\n'),
    ('$RAW -n --feature vif --feature vif=vif_enhn_gain_limit=1', 0, NONE, 'integer_vif_scale3_egl_1: '),
    ('$RAW --feature vif', 0, NONE, 'integer_vif_scale0: 0.407227\n'),

    # models
    ('$RAW --model version=vmaf_v9', FAIL, NONE, 'vmaf_v0.6.1neg'),
    ('$RAW --model version=', FAIL, NONE, 'vmaf_v0.6.1neg'),
    ('$RAW --model path=nope.json', FAIL, NONE, 'No such file'),
    ('$RAW --model path=garbage.json', FAIL, NONE, 'not JSON: line 1, column'),
    ('$RAW --model path=other.json', FAIL, NONE, 'model_dict'),
    ('$RAW --model path=model.pkl', FAIL, NONE, 'pkl'),
    ('$RAW --model vmaf_v0.6.1neg', 0, NONE, 'vmaf_v0.6.1neg: '),
    ('$RAW --model vmaf_v0.6.1:name=x:adm.adm_enhn_gain_limit=1 --model vmaf_4k_v0.6.1 -o out.xml', 0, 2, ''),
    ('$RAW --model vmaf_v9', FAIL, NONE, 'vmaf_v0.6.1neg'),
    ('$RAW --model ./nope', FAIL, NONE, '"./nope": No such file'),
    ('$RAW --model other.json', FAIL, NONE, 'model_dict'),
    ('$RAW --model ""', USAGE, NONE, 'bad option string ""'),
    ('$RAW --model version=vmaf_v0.6.1:foo=bar', USAGE, NONE, 'Problem parsing model: "foo"'),
    ('$RAW --model version=a=b', USAGE, NONE, 'bad option string'),
    ('$RAW --model path=a=b', FAIL, NONE, 'problem loading model: a=b'),
    (r'$RAW --model "path=a\:b\=c"', FAIL, NONE, 'problem loading model: a:b=c'),
    ('$RAW --model version=vmaf_v0.6.1:foo.bar=1 -o out.xml', FAIL, NONE, 'unknown extractor "foo"; the model uses: adm, motion, vif'),
    ('$RAW --model version=vmaf_v0.6.1:cambi.enc_width=352:cambi.enc_height=288:float_vif.vif_enhn_gain_limit=1 -o out.xml', 0, 2,
     'Warning: vmaf_v0.6.1 does not use the extractors of these options: cambi.enc_width=352, cambi.enc_height=288, '
     'float_vif.vif_enhn_gain_limit=1\n'),
    ('$RAW --model version=vmaf_v0.6.1:cambi.foo=1 -o out.xml', FAIL, NONE, 'cambi has no option "foo"; it has: cambi_max_val'),
    ('$RAW --model version=vmaf_v0.6.1:float_vif.vif_enhn_gain_limit=0 -o out.xml', FAIL, NONE, 'out of range; use 1 to 100'),
    ('$RAW --model version=vmaf_v0.6.1:psnr_y.min_sse=1 -o out.xml', FAIL, NONE, 'unknown extractor "psnr_y"'),
    ('$RAW --model version=vmaf_v0.6.1:adm.bar=1 -o out.xml', FAIL, NONE, 'adm has no option "bar"; it has: debug'),
    ('$RAW --model version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=0.5 -o out.xml', FAIL, NONE,
     'adm_enhn_gain_limit=0.5 is out of range; use 1 to 100'),
    ('$RAW --model version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=1.0 -o out.xml', 0, 2, ''),
    ('$RAW --model version=vmaf_b_v0.6.3:adm.adm_enhn_gain_limit=1.0 -o out.xml', 0, 2, ''),
    ('$RAW --model name=x', USAGE, NONE, 'version=NAME or path=FILE'),
    ('$RAW --model version=vmaf_v0.6.1:disable_clip=yes -o out.xml', USAGE, NONE, 'true or false'),
    ('$RAW --model version=vmaf_v0.6.1:disable_clip=false -o out.xml', 0, 2, ''),
    ('$RAW --model version=vmaf_v0.6.1:enable_transform', 0, NONE, 'vmaf_v0.6.1 (phone): 97.853324\n'),
    ('$RAW --model version=vmaf_4k_v0.6.1:enable_transform', 0, NONE, 'vmaf_4k_v0.6.1 has no transform'),
    ('$RAW --model version=vmaf_v0.6.1 --model version=vmaf_v0.6.1neg', USAGE, NONE, 'uniquely named'),
    ('$RAW -o out.xml ' + ' '.join(f'--model version=vmaf_v0.6.1:name=m{i}' for i in range(33)), 0, 2, ''),
    ('$RAW --model version=vmaf_v1.0.16_3d0h -o out.xml', FAIL, NONE, 'libvmaf ERROR'),

    # names that a report cannot contain, or would show differently
    ('$RAW --model version=vmaf_v0.6.1:name=4k -o out.xml', FAIL, NONE, 'a model cannot be named "4k"'),
    ('$RAW --model version=vmaf_b_v0.6.3:name=4k -o out.xml', FAIL, NONE, 'a model cannot be named "4k"'),
    ('$RAW --model "version=vmaf_v0.6.1:name=a b" -o out.xml', FAIL, NONE, 'a model cannot be named "a b"'),
    ('$RAW --model version=vmaf_v0.6.1:name=xmlns -o out.xml', FAIL, NONE, 'cannot be named'),
    ('$RAW --model version=vmaf_v0.6.1:name=frameNum -o out.xml', FAIL, NONE, 'cannot be named'),
    ('$RAW --model version=vmaf_v0.6.1:name=psnr_y --feature psnr -o out.xml', FAIL, NONE, 'the name "psnr_y" is taken'),
    ('$RAW --model version=vmaf_v0.6.1:name=psnr_y -o out.xml', 0, 2, ''),
    ('$RAW --model version=vmaf_v0.6.1:name=integer_vif_scale0 -o out.xml', FAIL, NONE, '"integer_vif_scale0" is taken'),
    ('$RAW --model version=vmaf_v0.6.1:name=VMAF_integer_feature_vif_scale0_score', FAIL, NONE, 'is taken'),
    ('$RAW --model version=vmaf_v0.6.1:name=boot_bagging --model version=vmaf_b_v0.6.3:name=boot', FAIL, NONE,
     'the name "boot_bagging" is taken: scores of a model'),

    # features
    ('$RAW --feature nope', FAIL, NONE, 'unknown extractor "nope"; use one of: float_psnr'),
    ('$RAW --feature motion_v2', FAIL, NONE, 'motion has taken it in; its metric is VMAF_integer_feature_motion_sad_score\n'),
    ('$RAW --feature motion_v2x', FAIL, NONE, 'unknown extractor "motion_v2x"'),
    ('$RAW --feature psnr_y', FAIL, NONE, 'psnr_y is a metric; use its extractor: psnr'),
    ('$RAW --feature integer_adm2', FAIL, NONE, 'is a metric; use its extractor: adm'),
    ('$RAW --feature ""', USAGE, NONE, 'no extractor is named'),
    ('$RAW --feature psnr=enable_mse', USAGE, NONE, 'bad option string "enable_mse"'),
    ('$RAW --feature psnr= -o out.xml', USAGE, NONE, 'bad option string ""'),
    ('$RAW --feature psnr=foo=bar -n -o out.xml', FAIL, NONE, 'psnr has no option "foo"; it has: enable_chroma'),
    ('$RAW --feature psnr=enable_mse=yes', FAIL, NONE, 'enable_mse=yes is neither true nor false'),
    ('$RAW --feature psnr=enable_mse=1', FAIL, NONE, 'enable_mse=1 is neither true nor false'),
    ('$RAW --feature vif=vif_enhn_gain_limit=0.5', FAIL, NONE, 'out of range; use 1 to 100'),
    ('$RAW --feature vif=vif_enhn_gain_limit=1.5abc -n -o out.xml', FAIL, NONE, 'is not a number'),
    ('$RAW --feature vif=vif_enhn_gain_limit=abc', FAIL, NONE, 'is not a number'),
    ('$RAW --feature vif=vif_enhn_gain_limit=nan -n -o out.xml', FAIL, NONE, 'is not a number'),
    ('$RAW --feature adm=adm_csf_mode=1.5 -n -o out.xml', FAIL, NONE, 'is not an integer'),
    ('$RAW --feature psnr --feature psnr=enable_mse=true -n -o out.xml', 0, 2, 'WARNING'),
    ('$RAW -n -o out.xml ' + '--feature psnr ' * 33, 0, 2, ''),
    ('$RAW --feature cambi=enc_width=200 -n -o out.xml', FAIL, NONE, 'cambi:'),
    ('$RAW --feature float_ms_ssim -o out.xml', FAIL, NONE, 'float_ms_ssim'),
    ('$RAW --feature float_ms_ssim --threads 2 -o out.xml', FAIL, NONE, 'float_ms_ssim'),
    ('$RAW --feature cambi -o out.xml', FAIL, NONE, 'cambi'),
    ('-r 16x16.yuv -d 16x16.yuv -w 16 -h 16 -p 420 -b 8 -o out.xml', FAIL, NONE, 'adm'),
    ('-r 8x8.yuv -d 8x8.yuv -w 8 -h 8 -p 420 -b 8 -o out.xml', FAIL, NONE, 'adm'),
    ('-r 2x2.yuv -d 2x2.yuv -w 2 -h 2 -p 420 -b 8 -o out.xml', FAIL, NONE, 'adm'),
]

# Two spellings of the same options must give the same report.
SAME = [
    ('-r r422.y4m -d d422.y4m', '-r r422.yuv -d d422.yuv -w 64 -h 64 -p 422 -b 8'),
    ('-r r_mono.y4m -d d_mono.y4m', '-r r_mono.yuv -d d_mono.yuv -w 64 -h 64 -p 400 -b 8'),
    ('-r r444a.y4m -d d444a.y4m', '-r r444.yuv -d d444.yuv -w 64 -h 64 -p 444 -b 8'),
    ('-r r10.y4m -d d10.y4m', '-r r10.yuv -d d10.yuv -w 64 -h 64 -p 420 -b 10'),
    ('-r r_odd.y4m -d d_odd.y4m', '-r r_odd.yuv -d d_odd.yuv -w 97 -h 61 -p 420 -b 8 --frame_cnt 2'),
    ('-r r_params.y4m -d d_x.y4m', '$RAW'),
    ('$RAW', '$RAW --threads 3'),
    ('$RAW', '$RAW --model version=vmaf_v0.6.1:float_adm.adm_enhn_gain_limit=1:float_ssim.enable_db=true'),
    ('$RAW', '$RAW --cpumask -1'),
]


def run(args, stdin=b''):
    for name in ('out.xml', 'a.csv'):
        if os.path.exists(name):
            os.remove(name)
    words = shlex.split(args.replace('$RAW', RAW).replace('$TWO', TWO))
    # Drivers leak memory that is not ours: with drivers the sanitizer does not look for leaks.
    drivers = 'VMAF_BACKEND' in os.environ or any(word.startswith('--list_dev') or word.endswith(('backend', 'device'))
                                                  for word in words)
    sanitizer = os.environ.get('ASAN_OPTIONS', '') + (':detect_leaks=0' if drivers else '')
    done = subprocess.run([vmaf] + words, input=stdin, capture_output=True, timeout=120,
                          env={**os.environ, 'ASAN_OPTIONS': sanitizer})
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def frames_written():
    return len(re.findall('<frame ', open('out.xml').read())) if os.path.exists('out.xml') else None


def report(args, stdin=b''):
    """Returns the scores of a run, as text."""
    feature = '' if '--aom_ctc' in args else ' --feature psnr'
    done = run(args + feature + ' --csv -o a.csv --precision max', stdin)
    return open('a.csv').read() if done.returncode == 0 else f'{args}: {done.stderr}'


def check_cases():
    bad = 0
    for args, code, frames, words in CASES:
        done = run(args)
        got = frames_written()
        usage = done.stderr.endswith(' (vmaf --help lists the options)\n')
        if (done.returncode, got) != (code, frames) or words not in done.stderr or done.stdout or \
                usage != (code == USAGE):
            bad += 1
            print(f'vmaf {args[:120]}\n  exit {done.returncode} (not {code}?), frames {got} (not {frames}?), '
                  f'should say: {words!r}; said:\n{done.stderr[:800]}{done.stdout[:200]}')
    return bad


def check_same():
    bad = 0
    for one, other in SAME:
        if report(one) != report(other):
            bad += 1
            print(f'differ: vmaf {one} / vmaf {other}')
    return bad


def check_pipes():
    """A pipe and a redirected file give the same scores as the file, for both kinds of video and with frames to skip."""
    bad = 0
    for name, rest in (('r.y4m', '-d d.y4m'), ('r.yuv', '-d d.yuv -w 64 -h 64 -p 420 -b 8'),
                       ('r_odd.yuv', '-d d_odd.yuv -w 97 -h 61 -p 420 -b 8'), ('r444a.y4m', '-d d444a.y4m'),
                       ('1x6.yuv', '-d 1x6.yuv -w 1 -h 6 -p 420 -b 8 -n'), ('6x1.yuv', '-d 6x1.yuv -w 6 -h 1 -p 420 -b 8 -n'),
                       ('r.y4m', '-d d.y4m --frame_skip_ref 1'), ('big_r8.y4m', '-d big_d10.y4m --aom_ctc v6.0')):
        want = report(f'-r {name} {rest}')
        piped = report(f'-r - {rest}', stdin=open(name, 'rb').read())
        redirected = report(f'-r /dev/stdin {rest}', stdin=open(name, 'rb').read())
        if not piped == redirected == want:
            bad += 1
            print(f'differ: vmaf -r - {rest} < {name}\n{piped}')
    with open('r.yuv', 'rb') as file:  # a file whose first frame has been read: its second frame comes next
        os.lseek(file.fileno(), inputs.FRAME, os.SEEK_SET)
        done = subprocess.run([vmaf, '-r', '-'] + RAW.split()[2:] + ['-o', 'out.xml'], stdin=file, capture_output=True)
    if done.returncode or frames_written() != 1:
        bad += 1
        print('standard input is not read from where it stands')
    done = run('-r - -d d.yuv -w 64 -h 64 -p 420 -b 8 -o out.xml', stdin=open('r_cut.yuv', 'rb').read())
    if done.returncode != FAIL or frames_written() != 1 or 'cut off within frame 1' not in done.stderr:
        bad += 1
        print(f'a cut pipe: {done}')
    return bad


def member(feature):
    """Makes a model of one feature, as a collection contains them."""
    return ('{"model_dict": {"model_type": "BOOTSTRAP_LIBSVMNUSVR", "norm_type": "none", "feature_names": ["' + feature +
            '"], "model": "svm_type nu_svr\\nkernel_type rbf\\ngamma 0.0004\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n"}}')


def check_piped_models():
    """A model file is read only once: a model from a pipe is accepted, or refused with the same message."""
    one = member('psnr_y')
    bad = 0
    for text, code, words in ((one, 0, '/dev/stdin: '), (f'{{"0": {one}, "1": {one}}}', 0, 'ci.p95'),
                              ('{}', FAIL, '"/dev/stdin": model_dict is missing\n'),
                              (f'{{"0": {one}}}', FAIL, 'model_dict is missing: this is a collection\n'),
                              ('{"model_dict": {}}', FAIL, 'model_dict has no "model"\n'), ('{', FAIL, 'not JSON: line 1')):
        done = run('$RAW --model path=/dev/stdin', stdin=text.encode())
        if done.returncode != code or words not in done.stderr or done.stderr.count('libvmaf ERROR') != (code != 0):
            bad += 1
            print(f'a model through a pipe: {text[:60]}\n  exit {done.returncode}, should say {words!r}; said:\n{done.stderr}')
    return bad


def check_chroma_of_members():
    """Chroma is read if any member of a collection needs it, not only the first."""
    luma = member('VMAF_integer_feature_vif_scale0_score')
    text = f'{{"0": {luma}, "1": {luma}, "2": {member("psnr_cb")}}}'
    want, got = (run(f'$RAW --model path=/dev/stdin -q {more}', stdin=text.encode()).stderr for more in ('--feature psnr', ''))
    want = re.sub(r'psnr_\w+: .*\n', '', want)
    if got != want or 'ci.p95' not in got:
        print(f'a collection whose first member needs no chroma:\n{got} with chroma:\n{want}')
    return got != want


def check_stdout():
    """`-o -` writes to standard output: nothing else is printed there, and an appended file keeps its content."""
    bad = 0
    for options, start in (('', '<VMAF'), ('--json', '{'), ('--csv -q', 'Frame,')):
        done = run(f'$RAW {options} -o -')
        run(f'$RAW {options} -o out.xml')
        want, got = (re.sub(r'(fps|elapsed)(=|": )[^ ,\n]*', '', text)
                     for text in (open('out.xml').read().replace('"out.xml"', '"-"'), done.stdout))
        if done.returncode or got != want or not got.startswith(start) or done.stderr or os.path.exists('-'):
            bad += 1
            print(f'vmaf {options} -o -: {done}')
    with open('appended', 'w+') as file:
        file.write('before\n')
        file.flush()
        done = subprocess.run([vmaf] + f'{RAW} --csv -o -'.split(), stdout=file)
        file.seek(0)
        text = file.read()
    if done.returncode or not text.startswith('before\nFrame,') or text.count('\n') != 4:
        bad += 1
        print(f'vmaf -o - into a file that had something: {text!r}')
    with open('/dev/full', 'w') as full:
        done = subprocess.run([vmaf] + f'{RAW} -o -'.split(), stdout=full, stderr=subprocess.PIPE, text=True)
    if done.returncode != FAIL or 'No space left' not in done.stderr:
        bad += 1
        print(f'vmaf -o - on a full disk: {done}')
    return bad


def check_software():
    """A software device needs permission or its name, and every run on one says so once."""
    listed = run('--list_devices').stdout
    first = re.search(r'^0: (.*)\n   backend: vulkan\n   type: software\n(?:   .*\n)*?   can be used', listed, re.M)
    if not first:
        return 0  # a machine with a GPU, or without a Vulkan driver
    bad = 0
    device, word = first.group(1), first.group(1).split()[0]
    # The list fails if it has no device that --backend would take, so scripts can use its exit status.
    hardware = re.search(r'type: (?!software).*\n(?:   .*\n)*?   can be used', listed)
    for args, environment, good in (('', {}, bool(hardware)), ('--allow_software', {}, True),
                                    ('', {'VMAF_ALLOW_SOFTWARE': '1'}, True), ('', {'VMAF_ALLOW_SOFTWARE': 'no'}, bool(hardware))):
        os.environ.update(environment)
        for words in f'{args} --list_devices', f'--list_devices {args}':
            done = run(words)
            if (done.returncode == 0) != good:
                bad += 1
                print(f'vmaf {words} with {environment}: {done}')
        for name in environment:
            del os.environ[name]
    # With --backend the list contains the devices of that backend only.
    if '   backend: cuda\n' not in listed:
        for words in '--backend cuda --allow_software --list_devices', '--list_devices --allow_software --backend cuda':
            done = run(words)
            if done.returncode == 0 or not re.fullmatch('cuda: .*\n', done.stdout):
                bad += 1
                print(f'vmaf {words}: {done}')
    done = run('--list_devices --allow_software --backend cuda,vulkan')
    if done.returncode or 'hip' in done.stdout or device not in done.stdout:
        bad += 1
        print(f'a list of two backends: {done}')
    for args, environment, taken in (
            ('--backend vulkan --vulkan_device 0', {}, False), ('--vulkan_device 0', {}, False),
            ('--backend auto --device 0', {}, False), ('--device all', {}, False),
            (f'--backend vulkan --device 0,{word}', {}, False), ('', {'VMAF_BACKEND': 'vulkan:0'}, False),
            ('--device 0', {'VMAF_BACKEND': 'vulkan'}, False),
            ('--backend vulkan --vulkan_device 0 --allow_software', {}, True),
            (f'--vulkan_device {word}', {}, True), (f'--device {word}', {}, True),
            ('--device 0', {'VMAF_BACKEND': 'vulkan', 'VMAF_ALLOW_SOFTWARE': '1'}, True)):
        for quiet in '', ' -q':
            os.environ.update(environment)
            done = run(f'$RAW {args}{quiet} --feature psnr -n -o out.xml')
            for name in environment:
                del os.environ[name]
            wrote = os.path.exists('out.xml') and 'backend="vulkan"' in open('out.xml').read()
            warned = done.stderr.count(f'WARNING vulkan: {device} is a software device')
            explained = device in done.stderr and '--allow_software' in done.stderr
            if (done.returncode, wrote, warned) != ((0, True, 1) if taken else (FAIL, False, 0)) or (
                    not taken and not explained):
                bad += 1
                print(f'{environment} vmaf {args}{quiet}: exit {done.returncode}; it said:\n{done.stderr[:600]}')
    return bad


def check_environment():
    """VMAF_BACKEND acts like --backend and --device, and the command line takes precedence."""
    bad = 0
    has_host = run('$RAW --backend host -o out.xml').returncode == 0
    for words, args, code, said, on_host in (
            ('host', '', 0, '', True), ('host:0', '', 0, '', True), ('', '', 0, '', False), ('cpu', '', 0, '', False),
            ('host', '--backend cpu', 0, '', False), ('host', '--gpumask 1', 0, '', False),
            ('nope', '', USAGE, 'VMAF_BACKEND=nope', False), ('nope', '--backend cpu', 0, '', False),
            ('cpu:0', '', USAGE, 'VMAF_BACKEND=cpu:0', False), ('host:', '', USAGE, 'VMAF_BACKEND=host:', False),
            ('host:no_such', '', FAIL, '--list_devices', False), ('host:no_such', '--backend host', 0, '', True),
            ('host:no_such', '--device 0', 0, '', True), ('host', '--no_cuda', 0, '', True),
            ('cpu', '--device 0', USAGE, 'VMAF_BACKEND is cpu', False), ('cuda', '--backend cpu', 0, '', False),
            ('cuda', '--no_cuda', USAGE, 'cuda is chosen by VMAF_BACKEND, but --no_cuda', False)):
        if 'host' in words + args and not has_host:
            continue
        os.environ['VMAF_BACKEND'] = words
        done = run(f'$RAW {args} -o out.xml')
        del os.environ['VMAF_BACKEND']
        report = open('out.xml').read() if os.path.exists('out.xml') else ''
        if done.returncode != code or said not in done.stderr or ('backend="host"' in report) != on_host:
            bad += 1
            print(f'VMAF_BACKEND={words} vmaf {args}: exit {done.returncode}; it said:\n{done.stderr[:400]}')
    return bad


def check_broken_pipes():
    """Writing to a closed pipe fails with an exit code; it does not kill the command by a signal."""
    bad = 0
    for args in (RAW + ' -o /dev/stdout', RAW + ' -o -', '--list_features'):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([vmaf] + args.split(), stdout=writing, stderr=subprocess.PIPE, timeout=120)
        os.close(writing)
        if done.returncode != FAIL:
            bad += 1
            print(f'vmaf {args} into a closed pipe: {done}')
    return bad


def check_depths():
    """With --aom_ctc v6.0 depths may differ: the scores are those of a file that was widened beforehand."""
    bad = 0
    want = report('-r big_r10.y4m -d big_d10.y4m --aom_ctc v6.0')
    for pair in ('-r big_r8.y4m -d big_d10.y4m', '-r big_r10.y4m -d big_d8.y4m'):
        if report(pair + ' --aom_ctc v6.0') != want:
            bad += 1
            print(f'differs from widened files: {pair}')
    if 'cambi' not in want:
        bad += 1
        print(want)
    return bad


def check_texts():
    """Options that ask for text print it to stdout, completely."""
    bad = 0
    for args, words in (('--help', '--no_prediction'), ('--list_features', 'vif_enhn_gain_limit'),
                        ('--list_models', 'vmaf_v0.6.1neg')):
        done = run(args)
        if done.returncode or words not in done.stdout or done.stderr:
            bad += 1
            print(f'vmaf {args}: exit {done.returncode}, {done.stdout[:200]}')
    done = run('--version')
    if (done.returncode, done.stdout) != (0, '') or not re.fullmatch(r'[\w.+-]+\n', done.stderr):
        bad += 1
        print(f'vmaf --version: {done}')
    return bad


inputs.write_all(synthclip, work)
os.chdir(work)
failed = (check_cases() + check_same() + check_pipes() + check_piped_models() + check_chroma_of_members() +
          check_stdout() + check_environment() + check_software() + check_broken_pipes() + check_depths() + check_texts())
print(f'{len(CASES)} invocations, {failed} wrong')
sys.exit(1 if failed else 0)
