# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The clips and option sets of the gate between backends (cross_backend_diff), and its exceptions."""

# Features that run together on a clip. Options that do not show in metric names need a batch of their own. Features
# and switches that no batch has get batches of their own, see batches().
BATCHES = [
    ['vif', 'vif=vif_enhn_gain_limit=1', 'vif=vif_enhn_gain_limit=1.2', 'vif=vif_skip_scale0=true',
     'adm', 'adm=adm_enhn_gain_limit=1', 'adm=adm_enhn_gain_limit=1.2', 'adm=adm_csf_mode=2',
     'adm=adm_norm_view_dist=5', 'adm=adm_skip_scale0=true', 'adm=adm_csf_mode=1:adm_csf_scale=0.002',
     'motion', 'motion=motion_five_frame_window=true', 'motion=motion_force_zero=true',
     'motion=motion_moving_average=true:motion_fps_weight=2', 'psnr', 'psnr_hvs', 'ciede', 'float_ssim',
     'cambi'],
    ['vif=debug=true', 'adm=debug=true:adm_skip_aim=true', 'motion=debug=true', 'float_ms_ssim',
     'psnr=enable_mse=true:enable_apsnr=true', 'float_ssim=enable_lcs=true:scale=1',
     'cambi=window_size=33:tvi_threshold=0.03:full_ref=true', 'float_psnr', 'float_moment',
     'float_ansnr', 'float_motion', 'float_motion=motion_filter_size=3:motion_add_scale1=true',
     'float_motion=motion_force_zero=true', 'float_vif', 'float_vif=vif_enhn_gain_limit=1:vif_sigma_nsq=0.3',
     'float_vif=vif_prescale=0.7:vif_prescale_method=bicubic', 'float_vif=vif_skip_scale0=true',
     'float_adm', 'float_adm=adm_enhn_gain_limit=1.2:adm_noise_weight=0', 'float_adm=adm_csf_mode=2:adm_bypass_cm=1',
     'float_adm=adm_skip_scale0=true', 'float_adm=adm_p_norm=2', 'ssim', 'speed_chroma', 'speed_temporal',
     'speed_chroma=speed_prescale=2:speed_prescale_method=bilinear:speed_weight_var_mode=5',
     'speed_chroma=speed_prescale=1.7:speed_prescale_method=lanczos4:speed_kernelscale=3',
     'speed_temporal=speed_use_ref_diff=true:speed_kernelscale=0.5',
     'speed_temporal=speed_prescale=1.3:speed_prescale_method=bicubic', 'ssimulacra2',
     'ssimulacra2=matrix=bt601:range=full', 'ssimulacra2=matrix=bt2020ncl:prune=true'],
    ['psnr=enable_chroma=false:reduced_hbd_peak=true', 'float_ms_ssim=enable_lcs=true:enable_db=true',
     'float_ssim=enable_db=true:clip_db=true', 'cambi=cambi_high_res_speedup=1080:max_log_contrast=3'],
]

WITHOUT_KERNELS = {'motion=motion_force_zero=true', 'float_motion=motion_force_zero=true'}  # they compute nothing

# name: kind, width, height, sampling, depth, frames. Small and odd, so that every edge is reached.
CLIPS = {
    'mix_8': ('mix', 352, 288, '420', 8, 4),
    'noise_odd': ('noise', 241, 217, '420', 8, 3),
    'mix_10': ('mix', 320, 240, '422', 10, 3),
    'quant_12': ('quant', 263, 219, '444', 12, 2),
    'blur_16': ('blur', 320, 180, '420', 16, 2),
    'extreme_8': ('extreme', 256, 256, '420', 8, 2),
    'extreme_16': ('extreme', 257, 217, '444', 16, 2),
    'check_10': ('check', 256, 230, '420', 10, 2),
    'flat_8': ('flat', 320, 216, '420', 8, 2),
    'same_8': ('same', 322, 242, '420', 8, 2),
    'grey_8': ('dim', 319, 221, '400', 8, 2),
    'tiny_8': ('noise', 17, 19, '420', 8, 2),
    'narrow_10': ('shift', 33, 300, '444', 10, 2),
    'thin_10': ('noise', 11, 40, '420', 10, 2),  # too small for most features
    'one_frame': ('mix', 300, 220, '420', 8, 1),
}

SMALLEST = {'vif': 8, 'ssimulacra2': 8, 'float_ms_ssim': 176, 'float_vif': 24, 'cambi': 216, 'psnr_hvs': 32, 'speed_chroma': 160, 'speed_temporal': 80}  # of both sides; else 17

# Frames that may be measured again on the CPU, for a clip and a feature with any options; 0 for all others. A frame
# that the CPU measured says nothing about the device, so each exception needs a reason.
MEANS = 'a mean lies so near the middle of two floats that the order of the CPU\'s additions decides its last bit'
FRAMES_ON_CPU = {
    ('noise_odd', 'float_ms_ssim'): (1, MEANS),
    ('extreme_8', 'float_ssim'): (2, MEANS),
    ('extreme_8', 'float_ms_ssim'): (2, MEANS),
    ('extreme_16', 'float_ssim'): (2, MEANS),
    ('extreme_16', 'float_ms_ssim'): (2, MEANS),
}


def fits(spec, size, sampling, depth):
    """Returns whether the feature supports pictures whose smaller side has `size` samples."""
    name = spec.split('=')[0]
    if name in ('ciede', 'psnr_hvs', 'speed_chroma') and sampling == '400' or name == 'psnr_hvs' and depth > 12:
        return False
    if sampling == '400' and has_option(spec, 'motion_add_uv'):
        return False  # needs chroma
    return size >= SMALLEST.get(name, 17)


def has_option(spec, option):
    return any(item.split('=')[0] == option for item in spec.partition('=')[2].split(':'))


def batches(registry):
    """Returns the option sets: BATCHES, and sets with what they lack: each feature of the registry that has GPU
    code, with its defaults, and each of its switches, turned over. So a new feature or switch is compared at once."""
    named = [spec for batch in BATCHES for spec in batch]
    extra = []
    for feature in registry.values():
        if not feature.on_gpu:
            continue
        lacking = [] if feature.name in named else [feature.name]
        for option, value in feature.switches.items():
            if not any(spec.split('=')[0] == feature.name and has_option(spec, option) for spec in named):
                lacking.append(f'{feature.name}={option}={"false" if value == "true" else "true"}')
        for number, spec in enumerate(lacking):  # one of each feature in a batch: metrics may have the same names
            if number == len(extra):
                extra.append([])
            extra[number].append(spec)
    return BATCHES + extra
