/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The function that each fuzz target defines. With clang's libFuzzer (`make fuzz`) libFuzzer brings
 * the main function; with driver.c the target is a plain test that any compiler builds. corpus/NAME
 * holds inputs to start from and inputs that found bugs. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must return for any input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the bytes to a file, for code that takes a path. Aborts on failure. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* Copies the bytes to a string that the caller frees. Aborts on failure. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
