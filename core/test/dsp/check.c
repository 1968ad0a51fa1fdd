/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "base/cpu.h"
#include "base/mem.h"

#define GUARD 256
#define GUARD_BYTE 0xa5
#define BUFFERS 256

static bool benching, brief;
static unsigned long failures;

bool check_short(void)
{
    return brief;
}

/* ---- random numbers ---- */

uint32_t check_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

int32_t check_random_signed(int32_t limit)
{
    const uint32_t temper = check_random() % 8;
    const int64_t wide = (int64_t)(check_random() % (2 * (uint64_t)limit + 1)) - limit;
    if (temper == 0)
        return 0;
    if (temper == 1)
        return wide < 0 ? -limit : limit;
    return temper < 4 ? (int32_t)wide : (int32_t)(wide >> check_random() % 31);
}

/* ---- guarded memory ---- */

static struct {
    uint8_t *block;
    size_t size;
} buffers[BUFFERS];
static int buffer_count;

void *check_buffer(size_t size)
{
    uint8_t *const block = buffer_count < BUFFERS ? mem_aligned_alloc(size + 2 * GUARD) : NULL;
    if (!block) {
        fprintf(stderr, "out of buffers\n");
        exit(2);
    }
    memset(block, GUARD_BYTE, GUARD);
    memset(block + GUARD, 0, size);
    memset(block + GUARD + size, GUARD_BYTE, GUARD);
    buffers[buffer_count].block = block;
    buffers[buffer_count++].size = size;
    return block + GUARD;
}

#ifndef _WIN32
/* Blocks of pages whose last page cannot be accessed. They are used again, because mapping is
 * slow. */
static struct {
    uint8_t *block;
    size_t size; /* without the last page */
    size_t used;
} edges[BUFFERS];
static int edge_count;

static uint8_t *edge_block(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (size + GUARD + page - 1) / page * page;
    if (edges[edge_count].size < pages) {
        uint8_t *const block =
            mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED || mprotect(block + pages, page, PROT_NONE)) {
            fprintf(stderr, "out of memory\n");
            exit(2);
        }
        if (edges[edge_count].block)
            munmap(edges[edge_count].block, edges[edge_count].size + page);
        edges[edge_count].block = block;
        edges[edge_count].size = pages;
    }
    return edges[edge_count].block + edges[edge_count].size;
}

void *check_edge_buffer(size_t size)
{
    if (edge_count == BUFFERS) {
        fprintf(stderr, "out of buffers\n");
        exit(2);
    }
    uint8_t *const end = edge_block(size);
    edges[edge_count++].used = size;
    memset(end - size - GUARD, GUARD_BYTE, GUARD);
    memset(end - size, 0, size);
    return end - size;
}
#else
void *check_edge_buffer(size_t size)
{
    return check_buffer(size);
}
#endif

static bool guard_intact(const uint8_t *guard)
{
    for (int i = 0; i < GUARD; i++) {
        if (guard[i] != GUARD_BYTE)
            return false;
    }
    return true;
}

void check_release_all(const char *where)
{
    for (int i = 0; i < buffer_count; i++) {
        const uint8_t *const block = buffers[i].block;
        if (!guard_intact(block) || !guard_intact(block + GUARD + buffers[i].size))
            check_fail("%s: wrote outside buffer %d", where, i);
        mem_aligned_free(buffers[i].block);
    }
    buffer_count = 0;
#ifndef _WIN32
    for (int i = 0; i < edge_count; i++) {
        if (!guard_intact(edges[i].block + edges[i].size - edges[i].used - GUARD))
            check_fail("%s: wrote before edge buffer %d", where, i);
    }
    edge_count = 0;
#endif
}

/* ---- verdicts ---- */

void check_fail(const char *format, ...)
{
    if (++failures > 20)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void check_same(const char *what, const void *got, const void *want, size_t item, int count)
{
    for (int i = 0; i < count; i++) {
        const size_t at = (size_t)i * item;
        if (memcmp((const char *)got + at, (const char *)want + at, item) != 0) {
            check_fail("%s: differs at %d of %d", what, i, count);
            return;
        }
    }
}

/* ---- time ---- */

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

void check_bench(const CheckSet *set, const char *what, int items, void (*fn)(void *arg), void *arg)
{
    if (!benching)
        return;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        const uint64_t start = ticks();
        for (int k = 0; k < 16; k++)
            fn(arg);
        const uint64_t taken = ticks() - start;
        best = taken < best ? taken : best;
    }
    printf("%-10s %-24s %8.3f\n", set ? set->name : "scalar", what, (double)best / 16.0 / items);
}

/* ---- all features, all instruction sets ---- */

static const struct {
    const char *name;
    CheckFeature *check;
} features[] = {
    { "adm", adm_check },
    { "cambi", cambi_check },
    { "ciede", ciede_check },
    { "float", float_check },
    { "float_adm", float_adm_check },
    { "float_vif", float_vif_check },
    { "motion", motion_check },
    { "psnr", psnr_check },
    { "psnr_hvs", hvs_check },
    { "simd", simd_check },
    { "speed", speed_check },
    { "ssim", ssim_check },
    { "ssimulacra2", ssimulacra2_check },
    { "vif", vif_check },
    { "xpsnr", xpsnr_check },
};

static const CheckSet sets[] = {
#if defined(__x86_64__)
    { "sse41", CPU_SSE2 | CPU_SSSE3 | CPU_SSE41 },
    { "avx2", CPU_SSE2 | CPU_SSSE3 | CPU_SSE41 | CPU_AVX2 },
    { "avx512", CPU_SSE2 | CPU_SSSE3 | CPU_SSE41 | CPU_AVX2 | CPU_AVX512 },
    { "avx512icl", CPU_SSE2 | CPU_SSSE3 | CPU_SSE41 | CPU_AVX2 | CPU_AVX512 | CPU_AVX512ICL },
#else
    { "neon", CPU_NEON },
#endif
};

static void print_missing_sets(unsigned have)
{
    for (size_t s = 0; s < sizeof(sets) / sizeof(sets[0]); s++)
        if ((have & sets[s].cpu) != sets[s].cpu)
            printf("SKIP %s: this machine does not have it\n", sets[s].name);
}

static bool wanted(const char *name, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0)
            continue;
        if (strcmp(argv[i], name) == 0)
            return true;
        any = true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        benching = benching || strcmp(argv[i], "--bench") == 0;
        brief = brief || strcmp(argv[i], "--short") == 0;
    }
    if (benching)
        printf("cycles per item\n");

    const unsigned have = cpu_flags(0);
    print_missing_sets(have);
    for (size_t f = 0; f < sizeof(features) / sizeof(features[0]); f++) {
        if (!wanted(features[f].name, argc, argv))
            continue;
        for (size_t s = 0; s < sizeof(sets) / sizeof(sets[0]); s++) {
            if ((have & sets[s].cpu) != sets[s].cpu)
                continue;
            const unsigned long before = failures;
            features[f].check(&sets[s]);
            printf("%s %s: %s\n", features[f].name, sets[s].name,
                   failures == before ? "ok" : "FAILED");
        }
    }
    if (failures)
        fprintf(stderr, "%lu failures\n", failures);
    return failures ? 1 : 0;
}
