/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/api.h"

#ifdef _WIN32
static const char *const library_names[] = { "hiprtc0604.dll", "hiprtc0602.dll", "hiprtc0601.dll",
                                             "hiprtc0507.dll", "hiprtc0505.dll", NULL };
#else
static const char *const library_names[] = { "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                             "libhiprtc.so", NULL };
#endif

#define FUNCTIONS(X)                                                                               \
    X(CreateProgram, (void **program, const char *source, const char *name, int header_count,      \
                      const char **headers, const char **header_names))                            \
    X(CompileProgram, (void *program, int option_count, const char **options))                     \
    X(GetProgramLogSize, (void *program, size_t *size))                                            \
    X(GetProgramLog, (void *program, char *text))                                                  \
    X(GetCodeSize, (void *program, size_t *size))                                                  \
    X(GetCode, (void *program, char *code))                                                        \
    X(DestroyProgram, (void **program))

static struct {
#define FIELD(name, parameters) int(*name) parameters;
    FUNCTIONS(FIELD)
} rtc;

static bool fill(void *library)
{
#define LOAD(name, parameters)                                                                     \
    rtc.name = (int(*) parameters)library_function(library, "hiprtc" #name);                       \
    if (!rtc.name)                                                                                 \
        return false;
    FUNCTIONS(LOAD)
    return true;
}

static bool opened;

void hip_compiler_open(void *hip_library)
{
    void *library = library_open(library_names);
    opened = (library && fill(library)) || fill(hip_library);
}

bool hip_has_compiler(void)
{
    return opened;
}

static void log_why(void *program)
{
    size_t size = 0;
    if (rtc.GetProgramLogSize(program, &size) || size < 2)
        return;
    char *text = mem_alloc(size);
    if (text && !rtc.GetProgramLog(program, text))
        log_error("hip: hiprtc says: %.*s", (int)size, text);
    mem_free(text);
}

static int take_code(void *program, void **code)
{
    size_t size = 0;
    if (rtc.GetCodeSize(program, &size) || !size)
        return -EIO;
    *code = mem_alloc(size);
    if (!*code)
        return -ENOMEM;
    if (!rtc.GetCode(program, *code))
        return 0;
    mem_free(*code);
    *code = NULL;
    return -EIO;
}

/* Held while compiling, because the compiler of HIP 5.2 crashes when two threads use it at once. */
static pthread_mutex_t compiler_lock = PTHREAD_MUTEX_INITIALIZER;

static int compile(const char *arch, const char *kernel, const char *text, void **code)
{
    char offload[CUDA_HIP_ARCH_SIZE + 32];
    snprintf(offload, sizeof(offload), "--offload-arch=%s", arch);
    const char *options[] = { offload, "-O3", "-ffp-contract=off" };
    void *program;
    int err = -EIO;
    if (rtc.CreateProgram(&program, text, kernel, 0, NULL, NULL)) {
        log_error("hip: hiprtc rejects the source of kernel '%s'", kernel);
        return err;
    }
    if (rtc.CompileProgram(program, 3, options))
        log_why(program);
    else
        err = take_code(program, code);
    rtc.DestroyProgram(&program);
    return err;
}

int hip_compile(const char *arch, const char *kernel, const char *text, void **code)
{
    *code = NULL;
    pthread_mutex_lock(&compiler_lock);
    const int err = compile(arch, kernel, text, code);
    pthread_mutex_unlock(&compiler_lock);
    if (err)
        log_error("hip: cannot compile kernel '%s' for %s", kernel, arch);
    return err;
}
