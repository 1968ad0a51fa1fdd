# SPDX-License-Identifier: BSD-2-Clause-Patent
# vmaf-turbo. `make` builds and shows it at work; `make test` runs the tests. Meson does the real work.
#
#   make               install what is missing, build, score a sample pair
#   make build         build what is installed: build/tools/vmaf, the other programs and the libraries
#   make check         the quick tests, on a release build, before each commit; SUITE=vif runs those of one subject,
#                      TEST='gpu choose' one test
#   make test          what CI runs: the tests on a release build, then under the sanitizers
#   make nightly       all tests, also those that repeat others under every schedule, and all of them under the sanitizers
#   make mutate        break the code in known ways and see whether the tests notice; MUTATIONS='vif* team*' tries some
#   make fuzz          fuzz the readers and the features (clang); FUZZ_TIME=600 seconds each, FUZZ_TARGETS='y4m model'
#   make test-jobs     tests that take long or want large packages; `make test-NAME` runs one of JOBS below
#   make gate          compare GPUs with the CPU; GATE='--backends cpu,vulkan,cuda' names the backends,
#                      GATE='--device llvmpipe' a software device
#   make install       PREFIX=/usr/local
#   make dist          the source as a tarball, the same bytes for the same commit; in build-package
#   make deb           Debian packages, in build-package/debian; DEB='-b' are options of dpkg-buildpackage
#   make recipes       Homebrew, Arch, Alpine and vcpkg recipes of that tarball; URL=where it can be had
#   make windows       build-windows/install: the programs, the DLL and the static library for Windows, with mingw-w64
#   make windows-zip   build-package/vmaf-turbo-VERSION-windows-x86_64.zip: all that, with FFmpeg; takes long
#   make release       build-release/dist: a tarball for any Linux, with its sources, SBOM and checksums;
#                      RELEASE='--arch aarch64' builds it for arm64, RELEASE='--libav system' without FFmpeg's libraries
#   make static        build-package/vmaf, one static file, for the CPU, Y4M and raw video
#   make wheel         build-release/dist: a wheel of the Python package, with the library, the command and FFmpeg's
#                      libraries inside; RELEASE as above
#   make bench         measure speed
#   make docs          write the README's table of features from what the command lists
#   make format        format the sources
#   make format-check  check the format of the sources, the width of comments and the spelling
#   make clean
PREFIX ?= /usr/local
BUILD  := build
SAN    := build-san
PLATFORMS := build-platforms
TSAN   := build-tsan
FUZZ   := build-fuzz
FFMPEG := build-ffmpeg
WINDOWS := build-windows
RELEASES := build-release
# Generates the clips of tests and of the demo.
SYNTHCLIP := $(BUILD)/test/synth/synthclip
MESON_FLAGS ?=
# AMD architectures to compile kernels for, comma-separated: those of this machine's cards, or one where there is no
# card. `all` is what packages have: every architecture of Meson's option.
HIP_ARCHS ?= $(shell scripts/hip-archs)
# Choose what `make check` runs: a suite (a folder of core/test or a feature), or a test by its name.
SUITE ?=
TEST ?=
# Kernels are compiled once for all of these folders.
export VMAF_KERNEL_CACHE ?= $(CURDIR)/build-kernels

# The library picks vector code at run time: no -march here. Builds that look for bugs have code for one AMD
# architecture, and debug information with functions and lines but without variables (-g1): that takes a quarter off the
# longest compilations.
BUG_FLAGS := -Dhip_archs=gfx1030 -Dc_args=-g1 -Dcpp_args=-g1
SAN_FLAGS := --buildtype=debug -Doptimization=1 -Db_sanitize=address,undefined -Db_ndebug=false -Db_lundef=false $(BUG_FLAGS)
# clang sees undefined behaviour that gcc does not: gcc's sanitizers serve where clang has none.
SAN_CC := clang -fsanitize=address,undefined -x c - -o /dev/null
# (clang 14's leak detector takes memory of glibc 2.36 for a thread's variables of a library, and falls into it, unless it
# does not look for them there.)
SAN_ENV   := ASAN_OPTIONS=allocator_may_return_null=1:intercept_tls_get_addr=0 \
             UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Without drivers and decoders: the thread sanitizer would see their threads, but not their locks.
TSAN_FLAGS := --buildtype=debugoptimized -Db_sanitize=thread -Db_ndebug=false -Denable_vulkan=disabled -Dlibav=disabled \
              $(BUG_FLAGS)

# Time limits of tests end those that hang. They are multiplied for slow or busy machines, and more so under the
# sanitizers.
PATIENCE := 5
SLOW_PATIENCE := 20

# The jobs of `make test-jobs`, one a line, and those that only `make nightly` adds to them.
JOBS := \
  test-threads \
  test-damaged \
  test-packaging \
  test-platforms \
  test-clients \
  test-slurm \
  test-browser \
  test-windows \
  test-ffmpeg \
  test-deb
NIGHTLY_JOBS := \
  test-fuzz \
  test-faults \
  test-tune \
  test-container \
  test-picture-color \
  test-trixie \
  test-wheel \
  test-release-files \
  test-install \
  test-amd
# With NIGHTLY=1 tests and jobs also repeat what others cover: on more backends, devices, schedules and platforms.
NIGHTLY ?=

.PHONY: $(JOBS) $(NIGHTLY_JOBS) all build check test test-release test-sanitizers test-jobs nightly fuzz mutate install \
        gate jobs dist recipes deb release static windows windows-zip wheel bench docs format format-check clean setup setup-tests setup-jobs

all: build $(SYNTHCLIP)
	@python3 scripts/demo.py $(BUILD)
	@cat $(BUILD)/src/gpu/backend/missing_backends.txt >&2

setup:
	@scripts/setup

setup-tests:
	@scripts/setup --tests

setup-jobs:
	@scripts/setup --jobs

$(BUILD)/build.ninja: | setup
	@meson setup $(BUILD) core $(if $(filter-out all,$(HIP_ARCHS)),-Dhip_archs=$(HIP_ARCHS)) $(MESON_FLAGS) > /dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

$(SAN)/build.ninja: | setup-tests
	@if echo 'int main(void) { return 0; }' | $(SAN_CC) 2> /dev/null; then export CC=clang CXX=clang++; fi; \
	meson setup $(SAN) core $(SAN_FLAGS) $(MESON_FLAGS) > /dev/null || \
	  { cat $(SAN)/meson-logs/meson-log.txt; exit 1; }

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) installed
	$(if $(filter build,$(MAKECMDGOALS)),@cat $(BUILD)/src/gpu/backend/missing_backends.txt >&2)

$(SYNTHCLIP): build
	@ninja -C $(BUILD) test/synth/synthclip

# `meson test` builds what the chosen tests run. (A suite on its command line counts more than the setup.)
check: $(BUILD)/build.ninja
	@meson test -C $(BUILD) --setup $(if $(TEST),all,quick) --print-errorlogs $(if $(TEST),"$(TEST)") \
	  $(if $(SUITE),$(addprefix --suite ,$(SUITE)) $(addprefix --no-suite ,$(filter-out $(SUITE),slow full gate job nightly)))

test-release: setup-tests build
	@meson test -C $(BUILD) --setup $(if $(NIGHTLY),nightly,usual) --print-errorlogs --timeout-multiplier $(PATIENCE)

test-sanitizers: $(SAN)/build.ninja
	@$(SAN_ENV) meson test -C $(SAN) --print-errorlogs --timeout-multiplier $(SLOW_PATIENCE) \
	  --setup $(if $(NIGHTLY),sanitizednightly,sanitized)

# The rules in core/test/mutate/*.rules say what to break; it is broken in a copy of the tree, in build-mutate.
MUTATIONS ?=
mutate: setup-tests
	@python3 core/test/mutate/mutate.py . $(MUTATIONS)

# Races, on the devices that are our own code: a driver's threads are not ours to judge.
$(TSAN)/build.ninja: | setup
	@meson setup $(TSAN) core $(TSAN_FLAGS) $(MESON_FLAGS) > /dev/null || \
	  { cat $(TSAN)/meson-logs/meson-log.txt; exit 1; }

# atexit_sleep_ms: by default every process sleeps for a second before it exits, and vmaf-mcp starts many.
test-threads: $(TSAN)/build.ninja
	@TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:atexit_sleep_ms=0 meson test -C $(TSAN) --print-errorlogs --timeout-multiplier $(SLOW_PATIENCE) \
	  --setup threads

# A test that lacks what it needs ends with 77. Its job passes then, and says that it tested nothing; CI shows that as a
# warning.
MAY_SKIP = { [ $$? -eq 77 ] && echo "$${GITHUB_ACTIONS:+::warning::}$@: a part was skipped, and tested nothing: see above"; }

# Every call of a Vulkan driver, where `make test` tries the first and the last of each function.
FAULTS := core/test/faults/vulkan_faults_test.py
test-faults: $(SYNTHCLIP)
	@ninja -C $(BUILD) test/faults/libvulkan.so.1
	@python3 $(FAULTS) $(BUILD)/tools/vmaf $(SYNTHCLIP) $(BUILD)/test/faults/libvulkan.so.1 \
	  $(BUILD)/test/faults/all --all || $(MAY_SKIP)

# Damaged videos through FFmpeg's libraries, the command under the sanitizers.
DAMAGED ?= $(if $(NIGHTLY),150,40)
test-damaged: $(SAN)/build.ninja
	@ninja -C $(SAN) tools/vmaf test/synth/synthclip
	@$(SAN_ENV) python3 core/test/cli/libav_fuzz.py $(SAN)/tools/vmaf $(SAN)/test/synth/synthclip $(SAN)/test/cli/damaged \
	  $(DAMAGED) || $(MAY_SKIP)

# Three encoders, and kills at many moments.
test-tune: build
	@python3 core/test/tune/tune_test.py $(BUILD)/tools/vmaf-tune $(BUILD)/tools/vmaf $(BUILD)/test/tune/all --all || \
	  $(MAY_SKIP)

# As packagers build it: their options, and that each does what it says. How the tarball of a release is written.
test-packaging: setup
	@python3 core/test/packaging/build_test.py core $(BUILD)-packaging
	@python3 core/test/packaging/release_test.py . $(RELEASES)-test

# Other processors (arm64 with its vector code, s390x, which is big-endian, i386, riscv64), by emulators, musl and clang:
# PLATFORM='s390x musl' tries some, and without NIGHTLY=1 it is those three that differ most.
PLATFORM ?= $(if $(NIGHTLY),,aarch64 s390x i686)
test-platforms: setup-jobs $(SYNTHCLIP)
	@python3 core/test/platforms/platforms_test.py . $(BUILD) $(PLATFORMS) $(PLATFORM)

# Debian packages: built, looked at by lintian, and used as their users do, in a fresh Debian with an FFmpeg that
# knows nothing of this project, too; and the definitions of CI.
PLAIN_FFMPEG ?= build-ffmpeg/unmodified
test-deb: setup-jobs $(SYNTHCLIP)
	@python3 core/test/packaging/deb_test.py . $(BUILD)-package/test
	@[ -x $(PLAIN_FFMPEG)/shared/bin/ffmpeg ] || scripts/ffmpeg-build --build $(BUILD) --out $(PLAIN_FFMPEG) \
	  --series none --link shared || $(MAY_SKIP)
	@core/test/packaging/installed_test.sh $(BUILD)-package/debian $(abspath $(BUILD)-package) \
	  $(SYNTHCLIP) $(abspath $(PLAIN_FFMPEG)/shared) || $(MAY_SKIP)

# vmaf-mcp with the protocol's own clients, which npm installs into the build folder.
test-clients: setup-jobs $(SYNTHCLIP)
	@python3 core/test/mcp/clients_test.py $(BUILD)

# The next ABI, in which VmafPicture carries its colours (docs/adr/0039-the-day-the-picture-grows.md): the same tests in a
# build of its own.
test-picture-color: setup
	@meson setup $(if $(wildcard $(BUILD)-112/build.ninja),--reconfigure) $(BUILD)-112 core -Dpicture_color=true \
	  -Denable_cuda=disabled -Denable_hip=disabled -Denable_sycl=disabled -Denable_vulkan=disabled > /dev/null
	@meson test -C $(BUILD)-112 --print-errorlogs --timeout-multiplier $(PATIENCE) --setup usual \
	  --suite api --suite engine --suite model --suite feature --suite gpu --no-suite nightly --no-suite job --no-suite single
	@meson test -C $(BUILD)-112 --print-errorlogs --timeout-multiplier $(PATIENCE) --setup all 'conversions of zimg' colours

# vmaf-shard on a real Slurm, of one node, started and ended by the test; and its manifests against Kubernetes' schemas.
test-slurm: setup-jobs $(SYNTHCLIP)
	@python3 core/test/submit/deploy_test.py $(BUILD)/tools/vmaf-shard . $(BUILD)/test/submit/manifests --schemas
	@python3 core/test/submit/slurm_test.py $(BUILD)/tools/vmaf-shard $(BUILD)/tools/vmaf $(SYNTHCLIP) \
	  $(BUILD)/test/submit/slurm || $(MAY_SKIP)

# Pages of reports, in a real browser.
test-browser: setup-jobs $(SYNTHCLIP)
	@python3 core/test/browser/page_test.py $(BUILD)/tools/vmaf $(BUILD)/test/browser \
	  $(BUILD)/tools/vmaf-tune || $(MAY_SKIP)
	@python3 core/test/browser/catalogue_test.py $(BUILD)/tools/vmaf $(BUILD)/test/browser/catalogue || $(MAY_SKIP)
	@python3 core/test/browser/ladder_test.py $(BUILD)/tools/vmaf-tune $(BUILD)/test/browser/ladder || $(MAY_SKIP)

# AMD's code for every architecture, instruction by instruction, and as hiprtc makes it, in the folder of the release
# build. It is the last job, because it changes that build.
test-amd: setup-jobs $(SYNTHCLIP)
	@archs=$$(sed -n "/'hip_archs'/s/.*value: \[\([^]]*\)\].*/\1/p" core/meson_options.txt | tr -d " '") && \
	  meson configure $(BUILD) -Dhip_archs="$$archs" && ninja -C $(BUILD) test/gpu/dump_images
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --timeout-multiplier $(PATIENCE) --setup all 'gpu AMD code' 'gpu AMD code by hiprtc'

# The container image, built with buildah from nothing, and scores in it.
test-container: setup-jobs $(SYNTHCLIP)
	@core/test/container/image_test.sh $(CURDIR) $(abspath $(BUILD))/test/container $(abspath $(BUILD))/tools/vmaf \
	  $(abspath $(SYNTHCLIP)) || $(MAY_SKIP)

# In a fresh Debian 13: `make` and `make check` as a user without sudo, FFmpeg 7.1 with our patches, the Vulkan Memory
# Allocator in place of our own, dma-bufs on its lavapipe, and all kernels through RADV's compiler for AMD's chips.
test-trixie: setup-jobs
	@core/test/packaging/trixie_test.sh $(CURDIR) $(abspath $(BUILD))/test || $(MAY_SKIP)

# The wheel of the Python package, installed without a network, and scores by it with no FFmpeg of the system in reach.
test-wheel: setup-jobs $(SYNTHCLIP)
	@scripts/setup --release
	@scripts/wheel --out $(RELEASES) $(RELEASE) $(MESON_FLAGS) && \
	  python3 core/test/python/wheel_test.py $(RELEASES)/dist/vmaf_turbo-*_$$(uname -m).whl $(RELEASES)-wheel $(BUILD)/tools/vmaf $(SYNTHCLIP) || $(MAY_SKIP)

# The tarball for any Linux and the wheel: twice, the same bytes; and scores by the tarball with glibc 2.31 and with musl.
# Kernels for one AMD architecture stand for all.
test-release-files: setup-jobs $(SYNTHCLIP)
	@python3 core/test/packaging/release_test.py . $(RELEASES)-test $(BUILD)/tools/vmaf -Dhip_archs=gfx1030 || $(MAY_SKIP)

# The commands of docs/install.md, in fresh systems. INSTALL='musl release' runs one of them.
INSTALL ?=
test-install: setup-jobs $(SYNTHCLIP)
	@$(if $(INSTALL),,$(MAKE) --no-print-directory release wheel)
	@python3 core/test/packaging/install_test.py . $(RELEASES)-install $(BUILD)/tools/vmaf $(INSTALL) || $(MAY_SKIP)

# The library and the programs for Windows, run by Wine and held against the native build; with NIGHTLY also with FFmpeg, as
# a zip. Kernels for CUDA and AMD are the same files again.
test-windows: setup-jobs $(SYNTHCLIP)
	@scripts/windows-build --out $(WINDOWS) $(if $(NIGHTLY),--ffmpeg whole) -- -Denable_cuda=disabled -Denable_hip=disabled \
	  -Denable_tests=false && \
	  python3 core/test/windows/windows_test.py $(WINDOWS) $(BUILD) . $(if $(NIGHTLY),long) || $(MAY_SKIP)

# The names of the jobs as JSON: CI runs each as a job of its own.
jobs:
	@python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' $(JOBS) $(if $(NIGHTLY),$(NIGHTLY_JOBS))

# FFmpeg's filters, with our patches and without, from Debian's source: skipped where that cannot be had.
test-ffmpeg: setup-jobs $(SYNTHCLIP)
	@core/test/ffmpeg/ffmpeg_test.sh $(BUILD) $(FFMPEG) $(if $(NIGHTLY),static)

# Where the time is limited (LATEST_START, in seconds since 1970), no job starts too late to finish.
test-jobs: setup-jobs
	@left=; for job in $(JOBS) $(if $(NIGHTLY),$(NIGHTLY_JOBS)); do \
	  if [ "$$(date +%s)" -gt "$${LATEST_START:-9999999999}" ]; then left="$$left $$job"; \
	  else $(MAKE) --no-print-directory "$$job" || exit 1; fi; \
	done; \
	if [ -z "$$left" ]; then echo "All jobs passed: $(patsubst test-%,%,$(JOBS) $(if $(NIGHTLY),$(NIGHTLY_JOBS)))."; \
	else echo "The jobs that ran passed; these would have started too late and were left out:$$left."; fi

# Always the same inputs, for a few seconds a target, as a job; long, and new ones, with `make fuzz`.
FUZZ_TIME ?= 600
FUZZ_TARGETS ?=
fuzz: setup
	@scripts/fuzz $(FUZZ) $(FUZZ_TIME) $(FUZZ_TARGETS)

test-fuzz: setup
	@scripts/fuzz $(FUZZ) same

test: setup-tests format-check test-release test-sanitizers
	@echo "All tests passed: release build, and with address and undefined-behaviour sanitizers."

# Hours. The jobs run with NIGHTLY=1, too.
nightly:
	@$(MAKE) --no-print-directory test NIGHTLY=1 HIP_ARCHS=all
	@$(MAKE) --no-print-directory test-jobs NIGHTLY=1

install: $(BUILD)/build.ninja
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD) installed
	@meson install -C $(BUILD) --no-rebuild

GATE ?= --backends cpu,vulkan
gate: $(SYNTHCLIP)
	@scripts/ci/cross_backend_diff $(BUILD)/tools/vmaf $(SYNTHCLIP) $(GATE)

dist:
	@scripts/package dist

URL ?=
recipes:
	@scripts/package recipes $(URL)

DEB ?=
deb:
	@scripts/package deb $(DEB)

windows: setup
	@scripts/windows-build --out $(WINDOWS) -- -Denable_tests=false $(MESON_FLAGS)

windows-zip: setup
	@scripts/windows-build --out $(WINDOWS) --ffmpeg whole -- -Denable_tests=false $(MESON_FLAGS) && \
	  scripts/windows-zip . $(WINDOWS) build-package

RELEASE ?=
release:
	@scripts/setup --release
	@scripts/release --out $(RELEASES) $(RELEASE) $(MESON_FLAGS)

wheel:
	@scripts/setup --release
	@scripts/wheel --out $(RELEASES) $(RELEASE) $(MESON_FLAGS)

static: setup
	@scripts/package static

bench: $(SYNTHCLIP)
	@python3 bench/bench.py $(BUILD)/tools/vmaf $(SYNTHCLIP)

docs: build
	@python3 core/test/cli/docs_test.py $(BUILD)/tools/vmaf . --fix

# Kernels, and what they share with C, are written in a dialect of their own, which clang-format does not know. Files for
# FFmpeg have its style.
SOURCES = $(shell git ls-files '*.c' '*.h' ':!*.kernel.h' ':!*_tile.h' ':!core/src/gpu/prelude/*' ':!ffmpeg-patches/*')

format:
	@clang-format -i $(SOURCES)

format-check: setup
	@clang-format --dry-run -Werror $(SOURCES) && scripts/ci/check_text && echo "The sources are in the house style."

clean:
	rm -rf $(BUILD) $(BUILD)-112 $(SAN) $(PLATFORMS) $(TSAN) $(FUZZ) $(FFMPEG) $(WINDOWS) $(RELEASES) $(RELEASES)-test $(RELEASES)-wheel $(RELEASES)-install build-kernels build-mutate build-package build-static
