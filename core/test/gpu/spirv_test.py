# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Looks in the SPIR-V of every kernel for two patterns that compilers of real GPUs got wrong:
  - an element of an array of parameters (push constants) whose index is a variable: Intel's read zeros. Our kernels
    must not have arrays among their parameters at all;
  - a buffer or a table that is read at an index less a constant, such as taps[i - 1u]: AMD's for the 780M read 0, since
    the constant becomes an unsigned offset. (Shared arrays are left out: their addresses are computed whole.)

usage: spirv_test.py DUMP_IMAGES GLSLC

The checks must also find each pattern in small shaders that have it.
"""
import os
import struct
import subprocess
import sys
import tempfile

LOAD, ACCESS, IN_BOUNDS, BITCAST, COPY, ADD, SUBTRACT = 61, 65, 66, 124, 83, 128, 130
ATOMICS = range(227, 243)
ARRAY, RUNTIME_ARRAY, STRUCT, POINTER, CONSTANT, VARIABLE = 28, 29, 30, 32, 43, 59
PRIVATE, FUNCTION, PUSH_CONSTANT, STORAGE_BUFFER = 6, 7, 9, 12


class Module:
    """The instructions of a module, and what makes each of its values."""

    def __init__(self, data):
        words = struct.unpack(f'<{len(data) // 4}I', data)
        assert words[0] == 0x07230203, 'not SPIR-V'
        self.code, self.made, at = [], {}, 5
        while at < len(words):
            count, opcode = words[at] >> 16, words[at] & 0xffff
            operands = words[at + 1:at + count]
            self.code.append((opcode, operands))
            if opcode in (ARRAY, RUNTIME_ARRAY, STRUCT, POINTER):
                self.made[operands[0]] = opcode, operands[1:]
            elif opcode in (LOAD, ACCESS, IN_BOUNDS, BITCAST, COPY, ADD, SUBTRACT, CONSTANT, VARIABLE):
                self.made[operands[1]] = opcode, operands[2:]
            at += count

    def constant(self, value):
        """Returns the value of a 32-bit constant as a signed number, else None."""
        opcode, operands = self.made.get(value, (0, ()))
        if opcode in (BITCAST, COPY):
            return self.constant(operands[0])
        return None if opcode != CONSTANT or len(operands) != 1 else operands[0] - (operands[0] >> 31 << 32)

    def offset(self, value):
        """Returns the sum of the constants among the terms of an index."""
        opcode, operands = self.made.get(value, (0, ()))
        if opcode in (BITCAST, COPY):
            return self.offset(operands[0])
        if opcode in (ADD, SUBTRACT):
            return self.offset(operands[0]) + (1 if opcode == ADD else -1) * self.offset(operands[1])
        return self.constant(value) or 0

    def storage(self, pointer):
        """Returns the storage class of the variable that a pointer leads to."""
        opcode, operands = self.made.get(pointer, (0, ()))
        while opcode in (ACCESS, IN_BOUNDS, COPY):
            opcode, operands = self.made.get(operands[0], (0, ()))
        return operands[0] if opcode == VARIABLE else None

    def has_array(self, type_id):
        opcode, operands = self.made.get(type_id, (0, ()))
        return opcode in (ARRAY, RUNTIME_ARRAY) or opcode == STRUCT and any(map(self.has_array, operands))


def problems(module):
    """Returns a line for each pattern found."""
    found = []
    read = {operands[2] for opcode, operands in module.code if opcode == LOAD or opcode in ATOMICS}
    for opcode, operands in module.code:
        if opcode == POINTER and operands[1] == PUSH_CONSTANT and module.has_array(operands[2]):
            found.append('there is an array among the parameters')
        if opcode not in (ACCESS, IN_BOUNDS):
            continue
        result, indices, storage = operands[1], operands[3:], module.storage(operands[2])
        variable = [index for index in indices if module.constant(index) is None]
        if storage == PUSH_CONSTANT and variable:
            found.append('a parameter is read at an index that is a variable')
        if storage in (PRIVATE, FUNCTION, STORAGE_BUFFER) and result in read:
            found += [f'a table is read at an index less {-module.offset(index)}' for index in variable if module.offset(index) < 0]
    return found


# Shaders with one pattern each, and the words with which it must be found; '' for none.
HEAD = '''#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint table[]; };
layout(std430, binding = 1) buffer B { uint result[]; };
'''
MAIN = 'void main() { uint sum = 0u, at = gl_GlobalInvocationID.x; %s result[at] = sum; }\n'
PARAMETERS = 'layout(push_constant) uniform Params { uint count; uint wanted%s; };\n'
LOOP = 'for (uint i = 0u; i < count; i++) sum += wanted[i];'
CASES = [
    (PARAMETERS % '[8]' + MAIN % LOOP, 'a parameter is read at an index that is a variable'),
    (PARAMETERS % '[8]' + MAIN % 'sum = wanted[3];', 'there is an array among the parameters'),
    (PARAMETERS % '' + MAIN % 'sum = wanted;', ''),
    (MAIN % 'sum = table[at - 1u];', 'a table is read at an index less 1'),
    (MAIN % 'sum = table[int(at) - 3];', 'a table is read at an index less 3'),
    (MAIN % 'sum = table[(at + 2u) - 6u + 3u * at];', 'a table is read at an index less 4'),
    (MAIN % 'sum = atomicAdd(result[at - 5u], 1u);', 'a table is read at an index less 5'),
    ('const uint taps[4] = uint[4](1u, 5u, 2u, 9u);\n' + MAIN % 'sum = taps[at - 2u];', 'a table is read at an index less 2'),
    (MAIN % 'sum = table[at + 6u - 2u];', ''),
    (MAIN % 'result[at - 1u] = 7u;', ''),
]


def compile_case(glslc, text, level, folder):
    source, out = os.path.join(folder, 'case.comp'), os.path.join(folder, 'case.spv')
    with open(source, 'w') as file:
        file.write(HEAD + text)
    subprocess.run([glslc, '--target-env=vulkan1.1', level, source, '-o', out], check=True)
    with open(out, 'rb') as file:
        return Module(file.read())


def main(dump_images, glslc):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for text, wanted in CASES:
            for level in ('-O', '-O0'):
                found = problems(compile_case(glslc, text, level, folder))
                if (wanted not in found) if wanted else found:
                    sys.exit(f'the check finds {found}, not "{wanted}", with {level} in\n{text}')
        subprocess.run([dump_images, folder], check=True, stdout=subprocess.DEVNULL)
        names = sorted(name for name in os.listdir(folder) if name.endswith('.spv') and name != 'case.spv')
        for name in names:
            with open(os.path.join(folder, name), 'rb') as file:
                for problem in sorted(set(problems(Module(file.read())))):
                    print(f'{name[:-4]}: {problem}')
                    failed += 1
    print(f'{len(names)} kernels')
    sys.exit(1 if failed or len(names) < 50 else 0)


main(*sys.argv[1:])
