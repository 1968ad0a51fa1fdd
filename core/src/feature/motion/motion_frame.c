/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/motion/motion_frame.h"

/* Jobs a large frame is cut into; a smaller one is not worth waking other threads for. */
#define MAX_JOBS 16
#define MIN_SHARED_PIXELS (2500 * 1000)

/* The strip buffers of one job. */
typedef struct Sweep {
    uint32_t pairs[MOTION_PAIRS][MOTION_PAIR_WORDS];
    int16_t columns[2][MOTION_ROW_WORDS];
    uint64_t sad;
} Sweep;

struct MotionFrame {
    unsigned jobs;
    Sweep sweeps[];
};

typedef struct Pass {
    const MotionPlan *plan;
    MotionFrame *frame;
    const uint8_t *plane[2];
    ptrdiff_t stride[2];
    int w, h, strip, strips;
    unsigned jobs;
} Pass;

/* Columns from…to are filtered vertically, x0…x1 horizontally. */
typedef struct Strip {
    const Pass *pass;
    Sweep *sweep;
    int x0, x1, from, to;
} Strip;

/* Mirror about the border sample. The row after the last needs one more reflection in a plane of
 * three rows; what it gives is not used, but must be read from somewhere. */
static int mirror(int i, int n)
{
    i = i < 0 ? -i : i;
    i = i < n ? i : 2 * (n - 1) - i;
    return i < 0 ? 0 : i;
}

static void load_pair(const Strip *s, uint32_t *pair, int y)
{
    const Pass *p = s->pass;
    const size_t skip = (size_t)s->from * (p->plan->bpc > 8 ? 2 : 1);
    const void *rows[2][2];
    for (int picture = 0; picture < 2; picture++) {
        for (int i = 0; i < 2; i++)
            rows[picture][i] = p->plane[picture] + mirror(y + i, p->h) * p->stride[picture] + skip;
    }
    p->plan->dsp.join(pair, rows[0], rows[1], s->to - s->from);
}

/* A strip reaches over the right border from up to MOTION_REACH columns away, too. */
static void mirror_columns(const Strip *s, int16_t *columns)
{
    const int w = s->pass->w;
    for (int c = 0; c < 2; c++, columns += MOTION_PITCH) {
        for (int i = 1; s->x0 == 0 && i <= MOTION_REACH; i++)
            columns[-i] = columns[i];
        for (int i = w; i < s->x1 + MOTION_REACH; i++)
            columns[i - s->x0] = columns[mirror(i, w) - s->x0];
    }
}

static void sweep_strip(const Strip *s)
{
    const Pass *p = s->pass;
    const MotionDsp *dsp = &p->plan->dsp;
    uint32_t *ring[MOTION_PAIRS] = { s->sweep->pairs[0], s->sweep->pairs[1], s->sweep->pairs[2] };

    load_pair(s, ring[0], -2);
    load_pair(s, ring[1], 0);
    for (int y = 0; y < p->h; y += 2) {
        load_pair(s, ring[2], y + 2);
        int16_t *columns = s->sweep->columns[0] + MOTION_MARGIN;
        dsp->blur_columns(columns - (s->x0 - s->from), (const uint32_t *const *)ring,
                          s->to - s->from, (int)p->plan->bpc);
        for (int row = 0; row < 2 && y + row < p->h; row++, columns += MOTION_ROW_WORDS) {
            mirror_columns(s, columns);
            s->sweep->sad += dsp->blur_row(columns, s->x1 - s->x0);
        }
        uint32_t *const oldest = ring[0];
        ring[0] = ring[1];
        ring[1] = ring[2];
        ring[2] = oldest;
    }
}

static void run_job(void *arg, unsigned job)
{
    const Pass *p = arg;
    Sweep *sweep = &p->frame->sweeps[job];
    sweep->sad = 0;
    for (int i = (int)job; i < p->strips; i += (int)p->jobs) {
        Strip s = { .pass = p, .sweep = sweep, .x0 = i * p->strip, .x1 = (i + 1) * p->strip };
        s.x1 = s.x1 < p->w ? s.x1 : p->w;
        s.from = s.x0 > MOTION_REACH ? s.x0 - MOTION_REACH : 0;
        s.to = s.x1 + MOTION_REACH < p->w ? s.x1 + MOTION_REACH : p->w;
        sweep_strip(&s);
    }
}

uint64_t motion_frame_measure(MotionFrame *frame, const MotionPlan *plan,
                              const void *const planes[2], const ptrdiff_t strides[2], Team *team)
{
    const int w = (int)plan->w, count = (w + MOTION_STRIP - 1) / MOTION_STRIP;
    const int even = (w + count - 1) / count; /* strips of about the same width */
    Pass p = {
        .plan = plan,
        .frame = frame,
        .plane = { planes[0], planes[1] },
        .stride = { strides[0], strides[1] },
        .w = w,
        .h = (int)plan->h,
        .strip = (even + MOTION_STRIP_STEP - 1) / MOTION_STRIP_STEP * MOTION_STRIP_STEP,
        .jobs = 1,
    };
    p.strips = (w + p.strip - 1) / p.strip;
    if (team_size(team) > 1)
        p.jobs = (unsigned)p.strips < frame->jobs ? (unsigned)p.strips : frame->jobs;
    team_run(p.jobs > 1 ? team : NULL, p.jobs, run_job, &p);

    uint64_t sad = 0;
    for (unsigned i = 0; i < p.jobs; i++)
        sad += frame->sweeps[i].sad;
    return sad;
}

int motion_frame_create(MotionFrame **frame, const MotionPlan *plan)
{
    const unsigned jobs = (uint64_t)plan->w * plan->h >= MIN_SHARED_PIXELS ? MAX_JOBS : 1;
    const size_t size = sizeof(MotionFrame) + jobs * sizeof(Sweep);
    *frame = mem_aligned_alloc(size);
    if (!*frame)
        return -ENOMEM;
    memset(*frame, 0, size);
    (*frame)->jobs = jobs;
    return 0;
}

void motion_frame_destroy(MotionFrame *frame)
{
    mem_aligned_free(frame);
}
