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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
