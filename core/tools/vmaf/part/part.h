/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts: ranges of one video's pairs that separate runs measure (--shard, --frames). Each run
 * writes a part file, and --merge makes from all of them the report that a single run would have
 * written. docs/shards.md describes the use and the file. For the main thread. Unless stated
 * otherwise, functions return 0, or print what went wrong and return a negative errno. */
#ifndef TOOLS_PART_PART_H
#define TOOLS_PART_PART_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "input/prefetch.h"
#include "input/shots.h"
#include "input/thumbs.h"
#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/part.h"
#include "vmaf/options.h"
#include "vmaf/sync.h"

struct Rating;

/* The frames of a pair, for reports. */
typedef struct PairFrames {
    int64_t time; /* time of the reference's frame, in ns on its file's clock, or VIDEO_NO_TIME */
    uint64_t number[SIDES]; /* numbers of the frames in their files */
    bool shot;              /* a shot begins here; only if shots are asked for */
} PairFrames;

/* ---- digests ---- */

enum { DIGEST_BLOCK = 32, DIGEST_TEXT = 33 };

/* A fast 128-bit digest, which tells whether two machines saw the same bytes. It is the same on all
 * machines. It guards against accidents, not against attacks. */
typedef struct Digest {
    uint64_t lanes[4];
    uint64_t total; /* bytes so far */
    uint8_t rest[DIGEST_BLOCK];
} Digest;

void digest_start(Digest *digest);
void digest_add(Digest *digest, const void *data, size_t size);
/* Writes the digest as hexadecimal digits. */
void digest_end(const Digest *digest, char text[DIGEST_TEXT]);

/* ---- a run that measures a part ---- */

/* The content of a pair's two frames, and their positions: different frames may look the same. */
typedef struct PairDigest {
    char text[SIDES][DIGEST_TEXT];
    uint64_t position[SIDES]; /* position in the file, or VIDEO_NO_POSITION */
} PairDigest;

/* Thumbnails of a pair that a run of the whole video looks at to notice a wrong offset. */
typedef struct PairThumbs {
    uint64_t pair;
    Thumb at[SIDES];
} PairThumbs;

/* The pairs that this run measures, and what it notes about them for the part file. */
typedef struct PartRun {
    uint64_t first, end; /* the part's pairs: first <= pair < end; `end` may exceed the video */
    uint64_t lead;       /* pairs before `first` that have to be read as well */
    uint64_t
        start[SIDES]; /* the first frame to read of each video, counted after the skipped ones */
    bool seen[SIDES]; /* all earlier frames have to be read as well: their times decide */
    unsigned planes;  /* bit p: plane p is read */
    uint64_t count;   /* pairs of the part measured so far */
    bool ended;       /* the videos end with the part's last pair */
    uint64_t size[SIDES]; /* sizes of the files, in bytes; 0: not files */
    char ends[SIDES]
             [DIGEST_TEXT]; /* digests of the files' first and last bytes: equal in all parts */
    Digest content[SIDES];  /* digests of the frames of the part's own pairs */
    PairDigest *pairs;      /* from pair `first - lead` to one past the part's last */
    size_t pair_count, pair_capacity;
    int64_t offset_frames, offset_ns; /* the offset in use, as in SyncVideo */
    PairThumbs *thumbs;
    size_t thumbs_count;
    ShotChange *changes; /* for --shots, of each of the part's own pairs */
    size_t change_count, change_capacity;
    json_t *models; /* the models, as they were when the run began */
    unsigned threads;
    struct timespec started;
} PartRun;

/* Decides which pairs are this run's and where its videos have to be positioned. pairs_back: how
 * many pairs features look back. */
int part_run_split(PartRun *part, const Options *options, const SyncSchedule *schedule,
                   Video *const *videos, unsigned pairs_back);
void part_run_destroy(PartRun *part); /* NULL is fine */

/* True if this run has no pairs, so that nothing has to be read. */
bool part_run_is_empty(const PartRun *part);

/* Brings a video to the first frame that is read. */
int part_run_position(const PartRun *part, Video *video, enum Side side, uint64_t skip,
                      bool from_start);

/* Notes the digests of a pair's frames: for the part's own pairs, the `lead` before and the one
 * after them. 0 or -ENOMEM. */
int part_run_note_pair(PartRun *part, uint64_t pair, const Prefetched *ref, const Prefetched *dist);

/* Notes the thumbnails of one of the part's own pairs. The pictures are in memory, with luma. 0 or
 * -ENOMEM. */
int part_run_note_thumbs(PartRun *part, uint64_t pair, const VmafPicture *ref,
                         const VmafPicture *dist);

/* Notes how one of the part's own pairs differs from those before. 0 or -ENOMEM. */
int part_run_note_change(PartRun *part, const ShotChange *change);

/* ---- part files ---- */

enum { PART_VERSION = 3 };

/* Makes the list of models for a part file. Models in files are identified by their content,
 * built-in models by name. The caller releases the list. */
int describe_models(json_t **list, const Options *options);

/* Writes the part file, completely or not at all. */
int part_write(const struct Rating *rating, const Options *options);

/* A part file that was read back. */
typedef struct PartFile {
    const char *path;
    json_t *head;          /* everything but the values */
    uint64_t first, count; /* its pairs */
    bool ended;            /* the videos end with its last pair */
    char *text;            /* the file's text, while loaded; `values` points into it */
    const char *values, *values_end;
} PartFile;

/* Reads the file and checks that it is a complete, unchanged part file. With `keep_values`,
 * part_next_row can read its values. */
int part_load(PartFile *part, const char *path, bool keep_values);
void part_unload(PartFile *part);

/* One pair: its frames, and for each feature, as many as the length of its `kinds`. */
typedef struct PartRow {
    PairFrames *frames;
    VmafPartValue **room;         /* the caller's memory, for each feature */
    const VmafPartValue **values; /* points to `room`; NULL: the feature has no values here */
} PartRow;

/* Reads the next row of values. */
int part_next_row(PartFile *part, const char *const *kinds, unsigned features, unsigned pair,
                  const PartRow *row);

/* Checks that these are all parts of one run, each once, and sorts them. Prints one line about the
 * first part that is wrong; -EINVAL. */
int parts_agree(PartFile *parts, size_t count);

#endif
