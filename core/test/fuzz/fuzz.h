/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a fuzz target provides. With a fuzzing engine, build it with -fsanitize=fuzzer and without
 * driver.c: the entry point has libFuzzer's name (AFL++ takes it, too). With driver.c it is a plain
 * test. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must come back, whatever the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Good inputs to start from, NULL-ended. */
extern const char *const fuzz_seeds[];

/* The bytes as a file of the current folder, for code that wants a path. Aborts when it cannot. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
