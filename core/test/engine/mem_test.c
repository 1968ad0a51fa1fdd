/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Growing arrays: what is in them stays, new elements are as promised, and a failure changes
 * nothing. */
#include <errno.h>
#include <stdint.h>

#include "base/mem.h"
#include "testing.h"

static void an_array_grows_one_by_one(void **state)
{
    short *array = NULL;
    size_t capacity = 0, moves = 0;
    for (size_t count = 0; count < 1000; count++) {
        const size_t before = capacity;
        assert_int_equal(mem_grow(&array, count, &capacity, sizeof(*array)), 0);
        assert_true(capacity > count);
        moves += capacity != before;
        array[count] = (short)count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    assert_true(moves <= 10); /* it doubles */
    mem_free(array);
}

static void an_array_grows_to_an_index(void **state)
{
    static const size_t indices[] = { 3, 70, 71, 100000 };
    uint64_t *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < COUNT(indices); i++) {
        assert_int_equal(mem_grow_to(&array, indices[i], &capacity, sizeof(*array)), 0);
        assert_true(capacity > indices[i]);
        array[indices[i]] = indices[i];
    }
    for (size_t i = 0, next = 0; i < capacity; i++) {
        const size_t written = next < COUNT(indices) && i == indices[next];
        next += written;
        assert_int_equal(array[i], written ? i : 0);
    }
    mem_free(array);
}

static void a_failure_changes_nothing(void **state)
{
    int *array = NULL;
    size_t capacity = 0;
    mem_fail_after(1);
    assert_int_equal(mem_grow(&array, 0, &capacity, sizeof(*array)), -ENOMEM);
    mem_fail_after(1);
    assert_int_equal(mem_grow_to(&array, 0, &capacity, sizeof(*array)), -ENOMEM);
    mem_fail_after(0);
    assert_null(array);
    assert_int_equal(capacity, 0);

    assert_int_equal(mem_grow(&array, 0, &capacity, sizeof(*array)), 0);
    int *const before = array;
    const size_t room = capacity;
    array[0] = 42;
    mem_fail_after(1);
    assert_int_equal(mem_grow(&array, room, &capacity, sizeof(*array)), -ENOMEM);
    mem_fail_after(1);
    assert_int_equal(mem_grow_to(&array, room, &capacity, sizeof(*array)), -ENOMEM);
    mem_fail_after(0);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, room);
    assert_int_equal(array[0], 42);
    mem_free(array);
}

static void sizes_that_do_not_exist_are_refused(void **state)
{
    char *array = NULL;
    size_t capacity = SIZE_MAX / 2 + 1;
    assert_int_equal(mem_grow(&array, capacity, &capacity, 1), -ENOMEM);
    capacity = SIZE_MAX / 16;
    assert_int_equal(mem_grow(&array, capacity, &capacity, 16), -ENOMEM);
    capacity = 0;
    assert_int_equal(mem_grow_to(&array, SIZE_MAX - 1, &capacity, 1), -ENOMEM);
    assert_int_equal(mem_grow_to(&array, SIZE_MAX / 4, &capacity, 8), -ENOMEM);
    assert_null(array);
}

/* The advice is about whole pages inside; nothing in the block or around it changes. */
static void large_pages_change_no_byte(void **state)
{
    const size_t size = ((size_t)5 << 20) + 3;
    uint8_t *const block = mem_aligned_alloc(size);
    assert_non_null(block);
    for (size_t i = 0; i < size; i++)
        block[i] = (uint8_t)(i >> 10);
    mem_advise_large(block, size);
    mem_advise_large(block + 1, 1);
    for (size_t i = 0; i < size; i++)
        if (block[i] != (uint8_t)(i >> 10))
            fail_msg("byte %zu", i);
    mem_aligned_free(block);
}

TEST_MAIN(mem)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_one_by_one),
        cmocka_unit_test(an_array_grows_to_an_index),
        cmocka_unit_test(a_failure_changes_nothing),
        cmocka_unit_test(sizes_that_do_not_exist_are_refused),
        cmocka_unit_test(large_pages_change_no_byte),
    };
    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
