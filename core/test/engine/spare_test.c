/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of pictures that is used again (engine/spare.h). */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "base/mem.h"
#include "engine/spare.h"
#include "testing.h"

enum { SIZE = 100000 };

/* Takes a block, checks that it is zeroed and aligned, and fills it. */
static SpareBlock *take(size_t size, void **memory)
{
    SpareBlock *block;
    assert_int_equal(0, spare_take(&block, size, memory));
    assert_int_equal((uintptr_t)*memory % MEM_ALIGN, 0);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(((char *)*memory)[i], 0);
    memset(*memory, 0x5a, size);
    return block;
}

static void nothing_is_kept_without_a_context(void **state)
{
    const long live = mem_live();
    void *memory;
    spare_give_back(take(SIZE, &memory));
    assert_int_equal(mem_live(), live);
    spare_enter();
    SpareBlock *const block = take(SIZE, &memory);
    spare_leave();
    spare_give_back(block);
    assert_int_equal(mem_live(), live);
}

static void memory_is_used_again_and_zeroed(void **state)
{
    const long live = mem_live();
    void *first, *second, *again;
    spare_enter();
    spare_enter();
    SpareBlock *const a = take(SIZE, &first), *const b = take(SIZE, &second);
    assert_ptr_not_equal(first, second);
    spare_give_back(a);
    spare_give_back(b);
    spare_leave();
    mem_fail_after(0);
    for (unsigned i = 0; i < 10; i++) {
        SpareBlock *const block = take(SIZE, &again);
        assert_ptr_equal(again, second);
        spare_give_back(block);
    }
    assert_int_equal(mem_fail_after(0), 0);
    SpareBlock *const other = take(SIZE + 1, &again);
    assert_ptr_not_equal(again, first);
    assert_ptr_not_equal(again, second);
    spare_give_back(other);
    spare_leave();
    assert_int_equal(mem_live(), live);
}

/* Two sizes that are used in turn keep their memory; a size that is no longer used loses it. */
static void old_sizes_go(void **state)
{
    const long live = mem_live();
    void *memory;
    spare_enter();
    for (unsigned i = 0; i < 200; i++) {
        mem_fail_after(0);
        spare_give_back(take(i % 2 ? 1000 : 2000, &memory));
        if (i > 1)
            assert_int_equal(mem_fail_after(0), 0);
    }
    SpareBlock *held[200];
    for (unsigned i = 0; i < 200; i++)
        held[i] = take(3000, &memory);
    assert_int_equal(mem_live() - live, 200 * 2);
    for (unsigned i = 0; i < 200; i++)
        spare_give_back(held[i]);
    assert_in_range(mem_live() - live, 2, 64 * 2); /* only some of many blocks are kept */
    spare_leave();
    assert_int_equal(mem_live(), live);
}

static void failures_leave_nothing(void **state)
{
    const long live = mem_live();
    SpareBlock *block;
    void *memory;
    for (unsigned nth = 1; nth <= 2; nth++) {
        mem_fail_after(nth);
        assert_int_equal(-ENOMEM, spare_take(&block, SIZE, &memory));
        mem_fail_after(0);
        assert_int_equal(mem_live(), live);
    }
}

static void *use(void *arg)
{
    for (unsigned i = 0; i < 300; i++) {
        void *memory[3];
        SpareBlock *blocks[3];
        spare_enter();
        for (unsigned b = 0; b < 3; b++) {
            const int err = spare_take(&blocks[b], 500 + 100 * (b + i % 2), &memory[b]);
            *(void **)arg = !err && !*(char *)memory[b] ? arg : NULL;
            if (!*(void **)arg)
                return NULL;
            memset(memory[b], 1, 500);
        }
        spare_give_back(blocks[1]);
        spare_leave();
        spare_give_back(blocks[2]);
        spare_give_back(blocks[0]);
    }
    return NULL;
}

static void threads_share(void **state)
{
    enum { THREADS = 4 };
    const long live = mem_live();
    pthread_t threads[THREADS];
    void *good[THREADS];
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, use, &good[t]), 0);
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_ptr_equal(good[t], &good[t]);
    }
    assert_int_equal(mem_live(), live);
}

#ifndef _WIN32
/* A child process has the memory of its parent, as a copy. */
static void children_go_on(void **state)
{
    void *before, *memory;
    spare_enter();
    SpareBlock *const block = take(SIZE, &before), *const held = take(SIZE, &memory);
    spare_give_back(block);
    const pid_t child = fork();
    if (!child) {
        SpareBlock *own = NULL;
        const bool good = !spare_take(&own, SIZE, &memory) && !((char *)memory)[SIZE - 1];
        spare_give_back(own);
        spare_give_back(held);
        spare_leave();
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    spare_give_back(held);
    spare_leave();
}
#endif

TEST_MAIN(spare)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_kept_without_a_context),
        cmocka_unit_test(memory_is_used_again_and_zeroed),
        cmocka_unit_test(old_sizes_go),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(threads_share),
#ifndef _WIN32
        cmocka_unit_test(children_go_on),
#endif
    };
    return cmocka_run_group_tests_name("spare", tests, NULL, NULL);
}
