/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cmocka with the headers it forgets to include. */
#ifndef TEST_TESTING_H
#define TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
