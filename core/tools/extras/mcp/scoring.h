/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scoring pairs of videos in a worker process, and reading its report. */
#ifndef MCP_SCORING_H
#define MCP_SCORING_H

#include "task.h"

/* The schema of `display`. */
#define SCORING_DISPLAY                                                                            \
    "\"display\": {\"type\": \"string\", \"enum\": [\"hd\", \"phone\", \"4k\", \"4k_tv\"], "       \
    "\"description\": \"For the model auto: the screen to judge for (default: hd or 4k, by the "   \
    "size).\"},"

#define SCORING_TEXT(name, description)                                                            \
    "\"" name "\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 64, "                   \
    "\"description\": \"" description "\"},"

/* The schemas of rectangles and ranges. */
#define SCORING_CROP                                                                               \
    SCORING_TEXT("crop", "Score only a rectangle of both videos: W:H:X:Y, or auto: what black "    \
                         "bars leave.")                                                            \
    SCORING_TEXT("crop_reference", "The same for the reference only.")                             \
    SCORING_TEXT("crop_distorted", "The same for the distorted videos only.")                      \
    "\"range\": {\"type\": \"string\", \"enum\": [\"keep\", \"match\"], \"description\": "         \
    "\"Full and limited range: keep (default) compares samples as they are, match converts the "   \
    "distorted video to the reference's range.\"},"                                                \
    "\"film_grain\": {\"type\": \"string\", \"enum\": [\"on\", \"off\"], \"description\": "        \
    "\"Film grain that a stream lets decoders add: on (default) or off.\"},"                       \
    "\"deinterlace\": {\"type\": \"boolean\", \"description\": \"Interpolate the second field of " \
    "interlaced frames from the first; else both fields are scored, woven into one frame.\"},"

/* The schemas of the arguments that say which frames are compared. */
#define SCORING_PAIRING                                                                                                                                              \
    "\"sync\": {\"type\": \"string\", \"enum\": [\"nearest\", \"index\", \"auto\"], "                                                                                \
    "\"description\": \"How frames are paired (default: by time, at equal rates): nearest: each "                                                                    \
    "reference frame with the one nearest in time, whatever the rates; index: by number; auto: "                                                                     \
    "from the offset at which the pictures match best.\"}," SCORING_TEXT(                                                                                            \
        "offset",                                                                                                                                                    \
        "The reference begins this many frames (3) or seconds (1.5s) into the "                                                                                      \
        "distorted video; negative: the distorted video begins within the "                                                                                          \
        "reference.") SCORING_TEXT("duration",                                                                                                                       \
                                   "Score only this many frames (100) or seconds (10s).")                                                                            \
        SCORING_TEXT(                                                                                                                                                \
            "fps",                                                                                                                                                   \
            "Bring both videos to this rate: 25, 29.97, 30000/1001.") "\"allow_partial\": {\"type\": \"boolean\", \"description\": \"Score what is left of a video " \
                                                                      "that is cut off; else that is an error.\"},"

/* Schema properties for scoring options, which scoring_run reads from the arguments. */
#define SCORING_PROPERTIES                                                                            \
    "\"model\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 4096, \"description\": "      \
    "\"Name of a built-in model (see describe_model), or path of a model file. Default: "             \
    "vmaf_v0.6.1; vmaf_4k_v0.6.1 is for 4K screens, vmaf_v0.6.1neg ignores enhancement; auto: "       \
    "the model of v1 for this size and frame rate, whose scores are not comparable with "             \
    "v0.\"}," SCORING_DISPLAY "\"enc_size\": {\"type\": \"string\", \"minLength\": 3, "               \
    "\"maxLength\": 11, \"description\": \"For models of v1 and raw or Y4M video: the size of "       \
    "the encode, such as 960x540.\"},"                                                                \
    "\"enc_bitdepth\": {\"type\": \"integer\", \"minimum\": 6, \"maximum\": 16, "                     \
    "\"description\": \"The same for its bit depth.\"},"                                              \
    "\"features\": {\"type\": \"array\", \"maxItems\": 16, \"items\": {\"type\": \"string\", "        \
    "\"minLength\": 1, \"maxLength\": 256}, \"description\": \"Other metrics to compute as "          \
    "well: "                                                                                          \
    "ssimulacra2 (100 for equal pictures, below 0 for very bad ones), xpsnr (dB), psnr, "             \
    "float_ssim, float_ms_ssim, ciede, cambi, psnr_hvs and so on; options follow after "              \
    "'=': cambi=full_ref=true.\"},"                                                                   \
    "\"all_metrics\": {\"type\": \"boolean\", \"description\": \"Also give scores of the "            \
    "features that the model uses.\"},"                                                               \
    "\"shots\": {\"type\": \"boolean\", \"description\": \"Also find the shots, and list those with " \
    "the lowest mean.\"},"                                                                            \
    "\"backend\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 32, \"description\": "      \
    "\"Where to compute: cpu (default, unless the server's VMAF_BACKEND says otherwise), auto, or "   \
    "one that list_backends calls usable. "                                                           \
    "Scores are "                                                                                     \
    "the same everywhere.\"},"                                                                        \
    "\"device\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 256, \"description\": "      \
    "\"Which GPU of the backend: its number, part of its name, UUID or PCI address.\"},"              \
    "\"threads\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 256, \"description\": "        \
    "\"Worker threads (default: processors divided by calls at once).\"},"                            \
    "\"subsample\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 1000, "                      \
    "\"description\": "                                                                               \
    "\"Score every Nth frame only: faster, less exact.\"},"                                           \
    "\"frame_count\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 100000000, "               \
    "\"description\": \"Stop after this many frames.\"},"                                             \
    "\"skip_reference\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 100000000, "            \
    "\"description\": \"Frames to drop at the start of the reference.\"},"                            \
    "\"skip_distorted\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 100000000, "            \
    "\"description\": \"Frames to drop at the start of the distorted video.\"},"                      \
    "\"scale\": {\"type\": \"string\", \"enum\": [\"bicubic\", \"bilinear\", \"lanczos\", "           \
    "\"nearest\", "                                                                                   \
    "\"area\", \"model\", \"none\", \"stretch\"], \"description\": \"How to scale a distorted video " \
    "to the reference's size (default bicubic); model: scale both to the model's size; none: "        \
    "different sizes are an error; stretch: score different shapes stretched.\"}," SCORING_CROP       \
        SCORING_PAIRING                                                                               \
    "\"raw\": {\"type\": \"object\", \"description\": \"The format of raw videos (.yuv).\", "         \
    "\"required\": [\"width\", \"height\", \"pixel_format\", \"bitdepth\"], "                         \
    "\"additionalProperties\": false, \"properties\": {"                                              \
    "\"width\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 65535}, "                        \
    "\"height\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 65535}, "                       \
    "\"pixel_format\": {\"type\": \"string\", \"enum\": [\"420\", \"422\", \"444\", \"400\"]}, "      \
    "\"bitdepth\": {\"type\": \"integer\", \"minimum\": 8, \"maximum\": 16}}}"

typedef struct Scoring {
    const char *reference, *distorted; /* paths as the client gave them */
    unsigned worst;                    /* number of worst frames to list */
    /* For progress when several videos are scored one after another: the index of this one, from 0.
     */
    unsigned index, count;
    unsigned pictures; /* number of worst frames to return as pictures */

    json_t *shown;  /* the pictures as worker_frames printed them */
    json_t *report; /* report of the worker */
    json_t *result; /* result for the client; see SCORING_RESULT */
} Scoring;

/* The schema of `result`. */
#define SCORING_RESULT                                                                                                                        \
    "{\"type\": \"object\", \"required\": [\"reference\", \"distorted\", \"frames\", "                                                        \
    "\"pooled\"], "                                                                                                                           \
    "\"properties\": {"                                                                                                                       \
    "\"reference\": {\"type\": \"string\"}, \"distorted\": {\"type\": \"string\"}, "                                                          \
    "\"frames\": {\"type\": \"integer\", \"description\": \"Pairs of frames that were "                                                       \
    "scored.\"}, "                                                                                                                            \
    "\"metric\": {\"type\": \"string\", \"description\": \"The metric of score, a name in "                                                   \
    "pooled.\"}, "                                                                                                                            \
    "\"score\": {\"type\": \"number\", \"description\": \"Mean of the model's scores, 0 to "                                                  \
    "100.\"}, "                                                                                                                               \
    "\"pooled\": {\"type\": \"object\", \"description\": \"For each metric: mean, "                                                           \
    "harmonic_mean, "                                                                                                                         \
    "min, p1, p5, p10, median, max, stddev and so on, over all frames.\", "                                                                   \
    "\"additionalProperties\": {\"type\": \"object\", \"additionalProperties\": {\"type\": "                                                  \
    "[\"number\", \"null\"]}}}, "                                                                                                             \
    "\"whole_video\": {\"type\": \"object\", \"description\": \"Figures about the whole video: axpsnr_y is "                                  \
    "the average of XPSNR, which counts and not its mean; null: infinite, the videos are equal.\", "                                          \
    "\"additionalProperties\": {\"type\": [\"number\", \"null\"]}}, "                                                                         \
    "\"worst\": {\"type\": \"array\", \"description\": \"Frames with the lowest scores, lowest "                                              \
    "first.\", \"items\": {\"type\": \"object\", \"required\": [\"frame\", \"score\"], "                                                      \
    "\"properties\": {\"frame\": {\"type\": \"integer\"}, \"time\": {\"type\": \"number\", "                                                  \
    "\"description\": \"When the reference's frame is shown, in seconds on its file's clock.\"}, \"score\": {\"type\": \"number\"}}}}, "      \
    "\"shots\": {\"type\": \"object\", \"description\": \"How many shots there are, and those with the lowest mean, lowest first.\", "        \
    "\"properties\": {\"count\": {\"type\": \"integer\"}, \"worst\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "                \
    "\"properties\": {\"first\": {\"type\": \"integer\"}, \"last\": {\"type\": \"integer\"}, \"begin\": {\"type\": [\"number\", \"null\"]}, " \
    "\"mean\": {\"type\": \"number\"}, \"min\": {\"type\": \"number\"}, \"p5\": {\"type\": \"number\"}}}}}}, "                                \
    "\"complete\": {\"type\": \"boolean\", \"description\": \"False: frames of one video had no partner, so the score is not that of the "    \
    "whole video.\"}, \"incomplete_reason\": {\"type\": \"string\"}, "                                                                        \
    "\"warnings\": {\"type\": \"array\", \"description\": \"Reasons to doubt the scores.\", \"items\": {\"type\": \"object\", "               \
    "\"properties\": {\"code\": {\"type\": \"string\"}, \"input\": {\"type\": \"string\"}, \"text\": {\"type\": \"string\"}}}}, "             \
    "\"messages\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, "                                                                 \
    "\"description\": \"Remarks about the videos.\"}, "                                                                                       \
    "\"inputs\": {\"type\": \"object\"}, \"models\": {\"type\": \"array\"}, "                                                                 \
    "\"features\": {\"type\": \"array\", \"description\": \"The features computed, and "                                                      \
    "where.\"}, "                                                                                                                             \
    "\"fps\": {\"type\": \"number\", \"description\": \"Frames scored per second.\"}}}"

/* Add --model for a built-in model or a model file. Returns 0, or a negative errno with a message
 * in `why`. */
int scoring_add_model(Task *task, const char *model, char *why, size_t size);

/* Score one pair. Returns 0, or a negative errno with a message in `why`; -ECANCELED if the call
 * was stopped. Call scoring_free in any case. */
int scoring_run(Call *call, Scoring *scoring, char *why, size_t size);
/* Score several videos against one reference, decoding the reference once. All must succeed: one
 * unusable video fails the whole run. */
int scoring_run_together(Call *call, Scoring *scorings, unsigned count, char *why, size_t size);
void scoring_free(Scoring *scoring);

#endif
