# SPDX-License-Identifier: BSD-2-Clause-Patent
"""one_layout.py INPUT OUTPUT SIZE: writes picture.h with one layout of VmafPicture.

SIZE is that of the struct: 112 keeps the lines between `#ifdef VMAF_PICTURE_HAS_COLOR` and `#endif`, 96 drops them.
"""
import sys

source, target, size = sys.argv[1:]
lines, inside = [], False
for line in open(source, encoding='utf-8'):
    if line.startswith('#ifdef VMAF_PICTURE_HAS_COLOR'):
        inside = True
    elif inside and line.startswith('#endif'):
        inside = False
    elif not inside or size == '112':
        lines.append(line)
text = ''.join(lines)
if inside or 'HAS_COLOR' in text:
    sys.exit(f'{source}: the layouts cannot be told apart')
with open(target, 'w', encoding='utf-8') as f:
    f.write(text)
