/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cmocka with the headers it forgets to include. */
#ifndef TEST_TESTING_H
#define TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* With sanitizers everything is slow. */
#ifndef __has_feature /* clang's */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* The main function of a test file. All test files of a suite are linked into one program, and its
 * first argument names the one to run (suite_main.c). argv[0] is that name; what follows are the
 * test's own arguments. */
#define TEST_MAIN(test)                                                                            \
    static int test##_test_main(int argc, char **argv);                                            \
    __attribute__((constructor)) static void test##_test_register(void)                            \
    {                                                                                              \
        static TestFile file = { .name = #test, .main = test##_test_main };                        \
        test_register(&file);                                                                      \
    }                                                                                              \
    static int test##_test_main(int argc, char **argv)

typedef struct TestFile {
    const char *name;
    int (*main)(int argc, char **argv);
    struct TestFile *next;
} TestFile;

/* Adds a file to those that the program can run. Keeps the pointer. */
void test_register(TestFile *file);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
