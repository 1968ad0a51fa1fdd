# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Asks the vmaf command about itself and the machine: its features, backends and devices."""
import re
import shlex
import subprocess

# Words that only software devices have in their names: the command's (names_software in core/src/gpu/backend.c).
SOFTWARE_WORDS = ('llvm', 'swiftshader', 'software', 'softpipe', 'cpu', 'host', 'emulat', 'pocl', 'openmp', 'warp', 'basic render')

USAGE = 1  # the command's exit status when an argument is wrong

TYPES = {'software': 'cpu', 'integrated GPU': 'integrated', 'discrete GPU': 'discrete', 'virtual GPU': 'virtual', 'other': 'other'}


class Unusable(Exception):
    """The arguments ask for something that does not exist."""


class NoDevice(Exception):
    """A backend has no device that may be used."""


def listing(vmaf, option):
    return subprocess.run([vmaf, option], capture_output=True, text=True).stdout


class Feature:
    """A feature of the registry: whether it has GPU code, and its options that are true or false."""

    def __init__(self, name, backends):
        self.name, self.on_gpu, self.switches = name, backends != ['cpu'], {}


def read_registry(vmaf):
    """Returns all features by name, from --list_features."""
    found, feature = {}, None
    for line in listing(vmaf, '--list_features').splitlines():
        head = re.match(r'(\w+) .*\[([\w, ]+)\]$', line)
        option = re.match(r' +(\w+)=(true|false) ', line)
        if head:
            feature = found[head.group(1)] = Feature(head.group(1), head.group(2).split(', '))
        elif option and feature:
            feature.switches[option.group(1)] = option.group(2)
    if not any(feature.on_gpu for feature in found.values()):
        raise Unusable(f'{vmaf} --list_features lists no feature with GPU code')
    return found


class Device:
    """A device of a backend, as --list_devices shows it."""

    def __init__(self, backend, index, name, text):
        self.backend, self.index, self.name = backend, index, name
        self.type = TYPES.get(self.field(text, 'type'))
        self.uuid, self.pci = self.field(text, 'UUID'), self.field(text, 'PCI')
        if self.uuid and not self.uuid.replace('-', '').strip('0'):
            self.uuid = None
        self.usable = bool(re.search(r'^\s+can be used', text, re.M))

    @staticmethod
    def field(text, name):
        found = re.search(rf'^\s+{name}: (.*)$', text, re.M)
        return found.group(1).strip() if found else None

    def is_called(self, word):
        """Returns how the word names the device: 'exact' for its number, UUID or PCI address, 'software' for a piece of its
        name that says software or for the whole name, 'name' for another piece, else None."""
        plain = word.lower().replace('-', '')
        if word.isdigit() and len(word) < 10:
            return 'exact' if int(word) == self.index else None
        if self.uuid and plain == self.uuid.lower().replace('-', ''):
            return 'exact'
        if self.pci and ':' in word and self.pci.lower().endswith(word.lower()):
            return 'exact'
        text, name = word.lower(), self.name.lower()
        if not text or text not in name:
            return None
        return 'software' if text == name or any(sign in text for sign in SOFTWARE_WORDS) else 'name'


def list_devices(vmaf):
    found = []
    for entry in re.split(r'\n(?=\S)', listing(vmaf, '--list_devices')):
        head = re.match(r'(\d+): (.*)', entry)
        backend = Device.field(entry, 'backend')
        if head and backend:
            found.append(Device(backend, int(head.group(1)), head.group(2).strip(), entry))
    return found


def shown_backends(vmaf):
    """Returns the backends that the command names in --help."""
    return set(re.findall(r'--(\w+)_device ', listing(vmaf, '--help')))


class Side:
    """One side of a comparison: a binary on a device of a backend, or on the CPU."""

    def __init__(self, vmaf, backend, device=None):
        self.command, self.backend, self.device = [vmaf], backend, device
        self.words = ['--backend', backend] + (['--device', str(device.index)] if device else [])
        if device and device.type == 'cpu':
            self.words.append('--allow_software')
        self.environment = None

    def title(self):
        return f'{self.backend} {self.device.index}: {self.device.name}' if self.device else self.backend

    def wrap(self, words):
        self.command = shlex.split(words or '') + self.command

    def is_same(self, other):
        """Returns whether both sides compute on one device through one backend."""
        a, b = self.device, other.device
        if self.backend != other.backend or not a or not b:
            return self.backend == other.backend
        return a.index == b.index or bool(a.uuid and a.uuid == b.uuid or a.pci and a.pci == b.pci)

    def problem(self, entry):
        """Returns what in a feature's entry of a report shows that it ran elsewhere, or None."""
        if entry.get('backend') != self.backend:
            return f'on the backend {entry.get("backend")}, not {self.backend}'
        device = self.device
        if not device:  # a hidden backend, which computes in software
            return None if entry.get('device_type') == 'cpu' else f'on a device of the type {entry.get("device_type")}, not cpu'
        wanted = {'device': device.name, 'device_type': device.type, 'device_index': device.index,
                  'device_uuid': device.uuid, 'device_pci': device.pci}
        for field, value in wanted.items():
            if entry.get(field) != value:
                return f'elsewhere: {field} is {entry.get(field)!r}, not {value!r}'
        return None


def may_be_used(device, wanted, allow_software):
    """Returns whether the arguments choose the device. Neither a number nor a piece of a name that a card may have, too, such
    as Intel, is a permission for software."""
    how = [device.is_called(word) for word in wanted]
    if wanted and not any(how):
        return False
    return device.usable and (device.type != 'cpu' or allow_software or 'software' in how)


def sides_of(vmaf, backend, args, devices, shown):
    """Returns a side for each device of the backend that the arguments choose."""
    if backend == 'cpu' or backend not in shown:  # a hidden backend has one device, in software
        return [Side(vmaf, backend)]
    own = [device for device in devices if device.backend == backend]
    found = [device for device in own if may_be_used(device, args.device, args.allow_software)]
    if found:
        return [Side(vmaf, backend, device) for device in found]
    software = [device.name for device in own if device.usable and device.type == 'cpu']
    raise NoDevice(f'no usable {backend} device' + (f' called {" or ".join(args.device)}' if args.device else '') +
                   (f'; {software[0]} is software, which is compared only with --allow_software or by name: '
                    f"--device '{software[0].split()[0]}'" if software else ''))


def check_backend(vmaf, backend, shown):
    """Raises unless the command has the backend, which --help may hide."""
    asked = None if backend in ('cpu', *shown) else subprocess.run([vmaf, '--backend', backend, '--list_devices'],
                                                                    capture_output=True, text=True)
    if asked and asked.returncode == USAGE:
        raise Unusable(f'there is no backend "{backend}" of {vmaf}; there are cpu, {", ".join(sorted(shown))}')


def choose_sides(vmaf, backends, args):
    """Returns the first side and those that are compared with it. Each is another device than the first."""
    devices, shown = list_devices(vmaf), shown_backends(vmaf)
    for backend in backends:
        check_backend(vmaf, backend, shown)
    for word in args.device:
        if not any(device.is_called(word) for device in devices if device.backend in backends):
            raise NoDevice(f'no device of {", ".join(backends)} is called "{word}"')
    first, others = None, []
    for position, backend in enumerate(backends):
        found = sides_of(vmaf, backend, args, devices, shown)
        if position == 0:
            first = found[0]
            continue
        different = [side for side in found if not any(side.is_same(known) for known in [first, *others])]
        if not different:
            raise NoDevice(f'{found[0].title()} would be compared with itself: give two devices, or another backend')
        others += different
    return first, others
