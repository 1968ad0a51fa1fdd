/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The frame routine of adm: the parameters of its levels, and a frame's way through them.
 *
 * Each level is one sweep over its rows. A row of the bands is split off the level above, decoupled
 * and weighted. Once the row below it is weighted too, it is masked and summed. All bands but the
 * low-pass one live in a few line buffers. */
#include "feature/adm/adm.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---- Geometry and fixed-point parameters of the levels */

/* The smallest s with 2^s >= n, minus `minus` but not below 0. */
static int ceil_log2(int64_t n, int minus)
{
    int s = 0;
    while (((int64_t)1 << s) < n)
        s++;
    return s > minus ? s - minus : 0;
}

/* The first index of the core: a tenth of each side is left out of the sums. */
static int core_start(int n)
{
    return n < 15 ? 0 : (n - 5) / 10;
}

static void geometry_init(AdmLevel *l, int in_w, int in_h)
{
    l->in_w = in_w;
    l->in_h = in_h;
    l->w = (in_w + 1) / 2;
    l->h = (in_h + 1) / 2;
    l->left = core_start(l->w);
    l->top = core_start(l->h);
    l->right = l->w - l->left;
    l->bottom = l->h - l->top;
    l->x0 = l->left > 0 ? l->left - 1 : 0;
    l->x1 = l->right < l->w ? l->right + 1 : l->w;
}

/* Weights that do not fit lose their high bits, as they do in the reference's x86 build. */
static uint32_t weight_16_bits(double v)
{
    return fabs(v) < 2147483648.0 ? (uint16_t)(int32_t)v : 0;
}

static uint32_t weight_32_bits(double v)
{
    return (uint32_t)(int64_t)v;
}

static void fine_init(AdmLevel *l, const AdmCsf *csf)
{
    /* The reference rounds these two up at its usual viewing distance, and the scores show it. */
    const bool usual = csf->mode == 0 && fabs(csf->view_dist * csf->display_height - 3240.0) < 1e-8;
    l->q[ADM_H] = l->q[ADM_V] = usual ? 36453 : weight_16_bits(l->weight.hv * 0x1p21);
    l->q[ADM_D] = usual ? 49417 : weight_16_bits(l->weight.d * 0x1p23);

    l->row = ceil_log2(l->h, 0);
    for (int b = 0; b < ADM_BANDS; b++) {
        const bool diagonal = b == ADM_D;
        l->threshold_up[b] = diagonal ? 12 : 10;
        l->square[b] = diagonal ? 30 : 29;
        l->cube[b] = ceil_log2(l->w, diagonal ? 3 : 4);
        l->scale[b] = (diagonal ? 57 : 52) - l->cube[b] - l->row;
    }
    l->plain_row = ceil_log2((int64_t)(l->right - l->left) * (l->bottom - l->top), 20);
    l->plain_scale = 18 - l->plain_row;
}

static void coarse_init(AdmLevel *l, int level)
{
    static const int scale[ADM_LEVELS] = { 0, 45, 39, 36 },
                     plain_scale[ADM_LEVELS] = { 0, 32, 27, 23 };
    l->q[ADM_H] = l->q[ADM_V] = weight_32_bits(l->weight.hv * 0x1p32);
    l->q[ADM_D] = weight_32_bits(l->weight.d * 0x1p32);

    l->row = ceil_log2(l->h, 0);
    for (int b = 0; b < ADM_BANDS; b++) {
        l->square[b] = 30;
        l->cube[b] = ceil_log2(l->w, 0);
        l->scale[b] = scale[level] - l->cube[b] - l->row;
    }
    l->plain_square = level == 2 ? 30 : 31;
    l->plain_cube = ceil_log2(l->right - l->left, 0);
    l->plain_row = ceil_log2(l->bottom - l->top, 0);
    l->plain_scale = plain_scale[level] - l->plain_cube - l->plain_row;
}

void adm_levels_init(AdmLevel level[ADM_LEVELS], const FrameShape *shape, const AdmOptions *options)
{
    const int v_shift[ADM_LEVELS] = { (int)shape->bpc, 0, 16, 16 };
    static const int h_shift[ADM_LEVELS] = { 16, 15, 16, 15 };
    int w = (int)shape->w[0], h = (int)shape->h[0];

    for (int i = 0; i < ADM_LEVELS; i++) {
        AdmLevel *const l = &level[i];
        *l = (AdmLevel){
            .v_shift = v_shift[i],
            .h_shift = h_shift[i],
            .in_bias = i == 0 ? 1 << (shape->bpc - 1) : 0,
            .gain_limit = options->gain_limit,
            .weight = adm_csf_fixed(&options->csf, i),
        };
        geometry_init(l, w, h);
        if (i == 0)
            fine_init(l, &options->csf);
        else
            coarse_init(l, i);
        w = l->w;
        h = l->h;
    }
}

/* ---- Buffers */

/* The most ranges of rows that are swept at once, and the fewest rows worth a range of their
 * own. */
#define SWEEP_JOBS 8
#define SWEEP_MIN_ROWS 48

enum { REF, DIST, PICTURES };
enum { RESTORED, ADDITIVE, COMPONENTS };

/* The rows that a sweep keeps for one view. The first index is y & 1 or y % 3, because row y is
 * still needed when the row below comes in. `near` and `own` belong to the component that masks the
 * other one. */
typedef struct ViewLines {
    uint32_t *weighed[2][COMPONENTS][ADM_BANDS];
    int32_t *near[3][COMPONENTS], *own[2][COMPONENTS];
} ViewLines;

/* The rows that a sweep keeps for all views. */
typedef struct Lines {
    void *split_work;
    void *band[PICTURES][ADM_BANDS];
    void *component[2][COMPONENTS][ADM_BANDS]; /* fine levels: the signals; coarse levels:
                                                * temporary */
    int32_t *mask_work;
    ViewLines *view; /* an array of view_count elements */
} Lines;

typedef struct Plane {
    uint8_t *data;
    ptrdiff_t stride;
} Plane;

struct AdmFrame {
    void *block;
    Lines lines[SWEEP_JOBS];
    Plane low[ADM_LEVELS - 1][PICTURES]; /* low-pass bands, which the next level splits */

    /* Number of the feature and its guests, and of their views. view_of[i] is the view of feature
     * i: 0 is the feature itself, the others are its guests. */
    unsigned feature_count, view_count;
    unsigned *view_of;
    const AdmSetup **view; /* the setup of the first feature that has the view */
    AdmSums *sums;         /* row energies so far; view_count elements for each job */
    const MapLayer *map;   /* for each measured level, gets the terms; NULL: they are summed */
};

/* ---- Memory: one block, divided into pieces. A first pass without a block computes its size. */

typedef struct Carver {
    uint8_t *block;
    size_t used;
} Carver;

static void *carve(Carver *c, size_t size)
{
    void *const piece = c->block ? c->block + c->used + ADM_MARGIN : NULL;
    c->used += (size + 2 * ADM_MARGIN + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    return piece;
}

static void carve_lines(Carver *c, Lines *lines, const AdmLevel *l)
{
    const size_t row = (size_t)l->w * sizeof(int32_t);
    lines->split_work = carve(c, 2 * (size_t)l->in_w * sizeof(int32_t) + 8 * ADM_MARGIN);
    for (int b = 0; b < ADM_BANDS; b++) {
        for (int p = 0; p < PICTURES; p++)
            lines->band[p][b] = carve(c, row);
        for (int i = 0; i < 2 * COMPONENTS; i++)
            lines->component[i / COMPONENTS][i % COMPONENTS][b] = carve(c, row);
    }
    lines->mask_work = carve(c, row);
}

static void carve_view(Carver *c, ViewLines *view, const AdmLevel *l)
{
    const size_t row = (size_t)l->w * sizeof(int32_t);
    for (int b = 0; b < ADM_BANDS; b++)
        for (int i = 0; i < 2 * COMPONENTS; i++)
            view->weighed[i / COMPONENTS][i % COMPONENTS][b] = carve(c, row);
    for (int p = 0; p < COMPONENTS; p++) {
        for (int i = 0; i < 3; i++)
            view->near[i][p] = carve(c, row);
        for (int i = 0; i < 2; i++)
            view->own[i][p] = carve(c, row);
    }
}

static unsigned sweep_jobs(const AdmLevel *l)
{
    const int jobs = l->h / SWEEP_MIN_ROWS;
    return jobs < 1 ? 1 : jobs > SWEEP_JOBS ? SWEEP_JOBS : (unsigned)jobs;
}

static void carve_all(Carver *c, AdmFrame *s, const AdmSetup *setup)
{
    for (unsigned i = 0; i < sweep_jobs(&setup->level[0]); i++) {
        carve_lines(c, &s->lines[i], &setup->level[0]);
        for (unsigned v = 0; v < s->view_count; v++)
            carve_view(c, &s->lines[i].view[v], &setup->level[0]);
    }
    for (int i = 0; i < ADM_LEVELS - 1; i++) {
        const AdmLevel *const l = &setup->level[i];
        const size_t sample = i == 0 ? sizeof(int16_t) : sizeof(int32_t);
        /* The last step of a row may write almost two vectors past its end. */
        const size_t stride = ((size_t)l->w * sample + 3 * MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
        for (int p = 0; p < PICTURES; p++)
            s->low[i][p] = (Plane){ carve(c, stride * (size_t)l->h), (ptrdiff_t)stride };
    }
}

/* True if both have the same weights of the bands, so that their sums are the same. */
static bool see_alike(const AdmSetup *a, const AdmSetup *b)
{
    for (int i = 0; i < ADM_LEVELS; i++)
        if (memcmp(a->level[i].q, b->level[i].q, sizeof(a->level[i].q)) != 0)
            return false;
    return true;
}

/* Finds the views of a feature and its guests, and numbers them. */
static int list_views(AdmFrame *s, const Feature *f)
{
    s->feature_count = 1 + f->guest_count;
    s->view_of = mem_array(s->feature_count, sizeof(*s->view_of));
    s->view = mem_array(s->feature_count, sizeof(*s->view));
    if (!s->view_of || !s->view)
        return -ENOMEM;
    for (unsigned i = 0; i < s->feature_count; i++) {
        const AdmSetup *const setup = i ? f->guests[i - 1]->state : f->state;
        unsigned view = 0;
        while (view < s->view_count && !see_alike(setup, s->view[view]))
            view++;
        s->view[view] = view < s->view_count ? s->view[view] : setup;
        s->view_count += view == s->view_count;
        s->view_of[i] = view;
    }
    s->sums = mem_array((size_t)SWEEP_JOBS * s->view_count, sizeof(*s->sums));
    for (unsigned i = 0; i < SWEEP_JOBS; i++)
        s->lines[i].view = mem_array(s->view_count, sizeof(ViewLines));
    for (unsigned i = 0; i < SWEEP_JOBS; i++)
        if (!s->lines[i].view)
            return -ENOMEM;
    return s->sums ? 0 : -ENOMEM;
}

int adm_frame_create(const Feature *f, void **frame)
{
    const AdmSetup *const setup = f->state;
    AdmFrame *const s = mem_zalloc(sizeof(*s));
    if (!s || list_views(s, f)) {
        adm_frame_destroy(s);
        return -ENOMEM;
    }
    Carver c = { 0 };
    carve_all(&c, s, setup);
    s->block = mem_aligned_alloc(c.used);
    if (!s->block) {
        adm_frame_destroy(s);
        return -ENOMEM;
    }
    /* Vector code reads past the ends of rows: those bytes must be defined. */
    memset(s->block, 0, c.used);
    c = (Carver){ .block = s->block };
    carve_all(&c, s, setup);
    *frame = s;
    return 0;
}

void adm_frame_destroy(void *scratch)
{
    AdmFrame *const frame = scratch;
    if (!frame)
        return;
    mem_aligned_free(frame->block);
    for (unsigned i = 0; i < SWEEP_JOBS; i++)
        mem_free(frame->lines[i].view);
    mem_free(frame->sums);
    mem_free(frame->view);
    mem_free(frame->view_of);
    mem_free(frame);
}

/* ---- One row */

typedef struct Sweep {
    const AdmSetup *setup;
    int level;
    const AdmLevel *l;
    bool coarse, detail, aim;
    Plane in[PICTURES], out[PICTURES]; /* out.data is NULL at the last level */
    unsigned jobs;
    AdmFrame *frame;
} Sweep;

/* Source rows of the four taps of band row y. The top edge is reflected without repeating its first
 * row, the bottom edge with repeating its last. */
static void tap_rows(const Plane *in, int n, int y, const void *rows[ADM_TAPS])
{
    for (int t = 0; t < ADM_TAPS; t++) {
        int p = 2 * y - 1 + t;
        p = p < 0 ? -p : p >= n ? 2 * n - 1 - p : p;
        rows[t] = in->data + p * in->stride;
    }
}

static void split(const Sweep *s, Lines *lines, int y, bool low, bool detail)
{
    for (int p = 0; p < PICTURES; p++) {
        const void *rows[ADM_TAPS];
        tap_rows(&s->in[p], s->l->in_h, y, rows);
        void *const a = low ? s->out[p].data + y * s->out[p].stride : NULL;
        s->setup->dsp.split_row[s->level](s->l, rows, lines->split_work, a,
                                          detail ? lines->band[p] : NULL);
    }
}

/* Fills the columns outside the band: column 1 on the left, the last column on the right. */
static void extend_near(const AdmLevel *l, int32_t *near)
{
    if (l->x0 == 0)
        near[-1] = near[1];
    if (l->x1 == l->w)
        near[l->w] = near[l->w - 1];
}

static void decouple_and_weigh(const Sweep *s, Lines *lines, int y)
{
    const AdmDsp *const dsp = &s->setup->dsp;
    void *(*const component)[ADM_BANDS] = lines->component[y & 1];
    dsp->decouple_row[s->coarse](s->l, (const void *const *)lines->band[REF],
                                 (const void *const *)lines->band[DIST], component[RESTORED],
                                 component[ADDITIVE]);
    for (unsigned v = 0; v < s->frame->view_count; v++) {
        const AdmSetup *const view = s->frame->view[v];
        for (int p = 0; p < COMPONENTS; p++) {
            int32_t *const near = lines->view[v].near[y % 3][p];
            view->dsp.weigh_row[s->coarse](
                &view->level[s->level], (const void *const *)component[p],
                lines->view[v].weighed[y & 1][p], near, lines->view[v].own[y & 1][p]);
            extend_near(s->l, near);
        }
    }
}

static int64_t round_row(int64_t v, int n)
{
    return n == 0 ? v : (int64_t)((uint64_t)v + ((uint64_t)1 << (n - 1))) >> n;
}

static void add_row(int64_t total[ADM_BANDS], const int64_t row[ADM_BANDS], int shift)
{
    for (int b = 0; b < ADM_BANDS; b++)
        total[b] = (int64_t)((uint64_t)total[b] + (uint64_t)round_row(row[b], shift));
}

/* One energy of row y: the reference's own, without a mask, or that of a signal. */
typedef struct Energy {
    const Sweep *s;
    const AdmSetup *setup;
    const void *const *rows; /* rows of the bands */
    const AdmMaskRows *mask; /* NULL: none */
} Energy;

static void energy_of(const Energy *e, const AdmLevel *l, int64_t row[ADM_BANDS])
{
    if (e->mask)
        e->setup->dsp.energy_row[e->s->coarse](l, e->rows, e->mask, row);
    else
        e->setup->dsp.plain_row[e->s->coarse](l, e->rows, row);
}

/* Puts the terms of row y into the map: the energies of one column each. */
static void map_energy(const Energy *e, int y, unsigned term)
{
    const Sweep *const s = e->s;
    const MapLayer *const layer = &s->frame->map[s->level];
    AdmLevel one = e->setup->level[s->level];
    for (unsigned x = 0; x < layer->w; x++) {
        VmafPartValue *const cell = map_cell(layer, x, (unsigned)(y - s->l->top)) + term;
        int64_t sum[ADM_BANDS];
        one.left = s->l->left + (int)x;
        one.right = one.left + 1;
        energy_of(e, &one, sum);
        for (int b = 0; b < ADM_BANDS; b++)
            cell[b].integer = sum[b];
    }
}

/* Adds the energy of row y to the total, or puts its terms into the map. */
static void add_energy(const Energy *e, int y, unsigned term, int64_t total[ADM_BANDS])
{
    int64_t row[ADM_BANDS];
    if (e->s->frame->map) {
        map_energy(e, y, term);
        return;
    }
    energy_of(e, &e->setup->level[e->s->level], row);
    add_row(total, row, e->mask ? e->s->l->row : e->s->l->plain_row);
}

static void plain_energy(const Sweep *s, const Lines *lines, int y, AdmSums *sums)
{
    const Energy e = { s, s->setup, (const void *const *)lines->band[REF], NULL };
    add_energy(&e, y, ADM_TERM_DEN, sums->den);
}

/* Adds the energy of one component of row y, masked by the other component in rows y-1…y+1, for
 * view number v. */
static void masked_energy(const Sweep *s, const Lines *lines, unsigned v, int y, int signal,
                          int64_t total[ADM_BANDS])
{
    const AdmSetup *const view = s->frame->view[v];
    const ViewLines *const own = &lines->view[v];
    const int masker = signal == RESTORED ? ADDITIVE : RESTORED;
    const int above = y > 0 ? y - 1 : 1, below = y + 1 < s->l->h ? y + 1 : s->l->h - 1;
    const AdmMaskRows mask = {
        .near = { own->near[above % 3][masker], own->near[y % 3][masker],
                  own->near[below % 3][masker] },
        .own = own->own[y & 1][masker],
        .work = lines->mask_work,
    };
    const void *const *const rows = s->coarse
                                        ? (const void *const *)own->weighed[y & 1][signal]
                                        : (const void *const *)lines->component[y & 1][signal];
    const Energy e = { s, view, rows, &mask };
    add_energy(&e, y, signal == RESTORED ? ADM_TERM_NUM : ADM_TERM_AIM, total);
}

/* Adds the energies of row y to the sums of each view. */
static void masked_energies(const Sweep *s, const Lines *lines, int y, AdmSums *sums)
{
    for (unsigned v = 0; v < s->frame->view_count; v++) {
        masked_energy(s, lines, v, y, RESTORED, sums[v].num);
        if (s->aim)
            masked_energy(s, lines, v, y, ADDITIVE, sums[v].aim);
    }
}

/* ---- One level */

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static AdmSums *sums_of(const Sweep *s, unsigned job)
{
    return s->frame->sums + (size_t)job * s->frame->view_count;
}

/* Sweeps rows first…last-1 of the bands: writes their low-pass rows and sums those in the core.
 * Masks reach one row further, so two jobs compute those rows. The reference's own energy does not
 * depend on the view, so only the sums of view 0 contain it. */
static void sweep_job(void *arg, unsigned job)
{
    Sweep *const s = arg;
    const AdmLevel *const l = s->l;
    Lines *const lines = &s->frame->lines[job];
    AdmSums *const sums = sums_of(s, job);
    const int first = (int)((int64_t)l->h * job / s->jobs),
              last = (int)((int64_t)l->h * (job + 1) / s->jobs);
    const int core0 = max_int(first, l->top), core1 = min_int(last, l->bottom);
    const bool sums_any = s->detail && core0 < core1;
    const int mask0 = sums_any ? max_int(core0 - 1, 0) : last;
    const int mask1 = sums_any ? min_int(core1 + 1, l->h) : first;

    for (int y = min_int(first, mask0); y < max_int(last, mask1); y++) {
        const bool low = s->out[REF].data && y >= first && y < last;
        const bool detail = y >= mask0 && y < mask1;
        if (!low && !detail)
            continue;
        split(s, lines, y, low, detail);
        if (!detail)
            continue;
        decouple_and_weigh(s, lines, y);
        if (y >= core0 && y < core1)
            plain_energy(s, lines, y, sums);
        if (y > core0)
            masked_energies(s, lines, y - 1, sums);
    }
    if (sums_any && core1 == l->h)
        masked_energies(s, lines, core1 - 1, sums);
}

/* Adds a job's sums of one level to the results of all features. */
static void add_sums(const Sweep *s, unsigned job, void *const *results)
{
    const AdmFrame *const frame = s->frame;
    const AdmSums *const sums = sums_of(s, job);
    for (unsigned i = 0; i < frame->feature_count; i++) {
        AdmSums *const into = &((AdmResult *)results[i])->level[s->level];
        add_row(into->num, sums[frame->view_of[i]].num, 0);
        add_row(into->den, sums[0].den, 0);
        add_row(into->aim, sums[frame->view_of[i]].aim, 0);
    }
}

void adm_frame_measure(AdmFrame *frame, const AdmSetup *setup, const AdmOptions *options,
                       const VmafPicture *ref, const VmafPicture *dist, void *const *results,
                       Team *team)
{
    const VmafPicture *const pic[PICTURES] = { ref, dist };
    Sweep s = { .setup = setup, .aim = !options->skip_aim, .frame = frame };
    for (int p = 0; p < PICTURES; p++)
        s.in[p] = (Plane){ pic[p]->data[0], pic[p]->stride[0] };

    for (unsigned i = 0; i < frame->feature_count; i++)
        *(AdmResult *)results[i] = (AdmResult){ 0 };
    for (int i = 0; i < ADM_LEVELS; i++) {
        s.level = i;
        s.l = &setup->level[i];
        s.coarse = i > 0;
        s.detail = i > 0 || !options->skip_scale0;
        s.jobs = sweep_jobs(s.l);
        /* Each job has its own line buffers to fetch and computes the rows at its borders again, so
         * there are no more jobs than threads at hand. */
        const unsigned at_hand = team_at_hand(team);
        if (s.jobs > at_hand)
            s.jobs = at_hand;
        for (int p = 0; p < PICTURES; p++)
            s.out[p] = i < ADM_LEVELS - 1 ? frame->low[i][p] : (Plane){ 0 };
        assert(s.jobs >= 1 && s.jobs <= SWEEP_JOBS);
        memset(frame->sums, 0, (size_t)s.jobs * frame->view_count * sizeof(*frame->sums));
        team_run(team, s.jobs, sweep_job, &s);
        for (unsigned j = 0; j < s.jobs; j++)
            add_sums(&s, j, results);
        memcpy(s.in, s.out, sizeof(s.in));
    }
}

/* ---- Maps */

void adm_frame_map(AdmFrame *frame, const MapLayer *layers)
{
    assert(!layers || frame->view_count == 1);
    frame->map = layers;
}

/* Adds row y of one energy up and rounds it. */
static void add_cells(const MapLayer *layer, unsigned y, unsigned term, int shift,
                      int64_t total[ADM_BANDS])
{
    int64_t row[ADM_BANDS] = { 0 };
    for (unsigned x = 0; x < layer->w; x++)
        for (unsigned b = 0; b < ADM_BANDS; b++)
            row[b] =
                (int64_t)((uint64_t)row[b] + (uint64_t)map_cell(layer, x, y)[term + b].integer);
    add_row(total, row, shift);
}

void adm_map_sum(const AdmLevel *l, const MapLayer *layer, AdmSums *sums)
{
    for (unsigned y = 0; y < layer->h; y++) {
        add_cells(layer, y, ADM_TERM_NUM, l->row, sums->num);
        add_cells(layer, y, ADM_TERM_DEN, l->plain_row, sums->den);
        add_cells(layer, y, ADM_TERM_AIM, l->row, sums->aim);
    }
}
