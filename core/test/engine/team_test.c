/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The team: every job once, nested loops without deadlock, tasks finished before the end. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "engine/team.h"
#include "testing.h"

static void count_job(void *arg, unsigned job)
{
    atomic_fetch_add(&((atomic_uint *)arg)[job], 1);
}

static void run_and_check(Team *team, unsigned jobs)
{
    atomic_uint counts[64] = { 0 };
    team_run(team, jobs, count_job, counts);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(atomic_load(&counts[i]), i < jobs);
}

static void each_job_runs_once(void **state)
{
    run_and_check(NULL, 10);
    assert_int_equal(team_size(NULL), 1);
    for (unsigned threads = 1; threads <= 5; threads++) {
        Team *team;
        assert_int_equal(team_create(&team, threads), 0);
        assert_int_equal(team_size(team), threads);
        for (unsigned jobs = 0; jobs <= 64; jobs++)
            run_and_check(team, jobs);
        team_destroy(team);
    }
}

/* Two jobs that wait for each other, so that two threads run them; the caller's ends first. */
typedef struct Meeting {
    pthread_t caller;
    atomic_uint here;
    atomic_bool late_done;
} Meeting;

static void meet(void *arg, unsigned job)
{
    Meeting *m = arg;
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < 2)
        sched_yield();
    if (pthread_equal(pthread_self(), m->caller))
        return;
    nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
    atomic_store(&m->late_done, true);
}

static void a_loop_ends_with_its_last_job(void **state)
{
    Team *team;
    assert_int_equal(team_create(&team, 2), 0);
    Meeting meeting = { .caller = pthread_self() };
    team_run(team, 2, meet, &meeting);
    assert_true(atomic_load(&meeting.late_done));
    team_destroy(team);
}

typedef struct Nest {
    Task task;
    Team *team;
    unsigned depth;
    atomic_uint *leaves;
} Nest;

static void nest_job(void *arg, unsigned job)
{
    const Nest *nest = arg;
    if (nest->depth == 0) {
        atomic_fetch_add(nest->leaves, 1);
        return;
    }
    Nest inner = { .team = nest->team, .depth = nest->depth - 1, .leaves = nest->leaves };
    team_run(nest->team, 3, nest_job, &inner);
}

static void nest_task(Task *task)
{
    nest_job(task, 0);
}

static void tasks_may_loop_within_loops(void **state)
{
    Team *team;
    assert_int_equal(team_create(&team, 3), 0);
    atomic_uint leaves = 0;
    Nest nests[20];
    for (unsigned i = 0; i < COUNT(nests); i++) {
        nests[i] = (Nest){ { .run = nest_task }, team, 4, &leaves };
        team_submit(team, &nests[i].task);
    }
    team_destroy(team);
    assert_int_equal(atomic_load(&leaves), 20 * 81);
}

typedef struct Hold {
    Task task;
    atomic_bool let_go;
} Hold;

static void hold(Task *task)
{
    while (!atomic_load(&((Hold *)task)->let_go))
        sched_yield();
}

static void wait_until_at_hand(Team *team, unsigned count)
{
    while (team_at_hand(team) != count)
        sched_yield();
}

static void busy_workers_are_not_at_hand(void **state)
{
    Team *team;
    assert_int_equal(team_at_hand(NULL), 1);
    assert_int_equal(team_create(&team, 3), 0);
    wait_until_at_hand(team, 4);
    Hold holds[2] = { { .task.run = hold }, { .task.run = hold } };
    for (unsigned i = 0; i < COUNT(holds); i++) {
        team_submit(team, &holds[i].task);
        wait_until_at_hand(team, 3 - i);
    }
    for (unsigned i = 0; i < COUNT(holds); i++)
        atomic_store(&holds[i].let_go, true);
    wait_until_at_hand(team, 4);
    team_destroy(team);
}

TEST_MAIN(team)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_runs_once),
        cmocka_unit_test(a_loop_ends_with_its_last_job),
        cmocka_unit_test(tasks_may_loop_within_loops),
        cmocka_unit_test(busy_workers_are_not_at_hand),
    };
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
