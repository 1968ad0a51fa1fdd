/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a fuzz target provides. With clang's libFuzzer (`make fuzz`) the engine has the main function;
 * with driver.c the target is a plain test, which any compiler builds. Good inputs to start from, and
 * those that were interesting once, are in corpus/NAME. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must come back, whatever the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file, for code that wants a path. Aborts when it cannot. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* The bytes as a string, for free(). Aborts when it cannot. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
