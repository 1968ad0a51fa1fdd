/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The texts of manual pages that the tables of options do not contain. */
#include <string.h>

#include "manual.h"
#include "extras/mcp/mcp_options.h"
#include "vmaf/option/option.h"
#include "extras/shard/shard_options.h"
#include "extras/tune/options.h"

static const ManualSection vmaf_sections[] = {
    { "EXIT STATUS",
      "0: success, even if one video was longer.\n\n"
      "1: the command line is wrong; the message says why.\n\n"
      "2: a score is below --fail_under.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM. The report contains the frames scored until then.\n\n"
      "255: any other failure.\n" },
    { "ENVIRONMENT",
      "VMAF_LOG=debug prints what the library does and why.\n\n"
      "VMAF_BACKEND is the default of --backend, also for other programs that use the library.\n\n"
      "VMAF_GPU_TIMEOUT is the number of seconds to wait for a GPU that does not finish its work.\n\n"
      "VMAF_GPU_DOUBLES=0 or 1 selects kernels without or with double precision, where a feature has both; by default "
      "GPUs that are fast at double precision use it. Scores are the same.\n\n"
      "VMAF_SHARD_COUNT is the number of parts for --shard auto. The part's own number comes from the array job: "
      "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, PBS_ARRAY_INDEX or PBS_ARRAYID. Slurm "
      "and AWS Batch also provide the number of parts.\n" },
    { "EXAMPLES",
      "Score an encode:\n\n  vmaf reference.mkv encoded.mp4\n\n"
      "On a GPU, with PSNR and a report:\n\n"
      "  vmaf reference.y4m encoded.y4m --backend auto --feature psnr -o report.json\n\n"
      "Raw video:\n\n  vmaf -r ref.yuv -d dist.yuv -w 1920 -h 1080 -p 420 -b 8\n\n"
      "One of four parts, and the report on all of them:\n\n"
      "  vmaf reference.y4m encoded.y4m --shard 0/4 -o part0.json\n\n"
      "  vmaf --merge part0.json part1.json part2.json part3.json -o report.json\n" },
    { "SEE ALSO", "vmaf-tune(1), vmaf-shard(1), vmaf-mcp(1), ffmpeg(1)\n" },
    { NULL, NULL },
};

static const ManualSection tune_sections[] = {
    { "EXIT STATUS",
      "0: success.\n\n1: the command line is wrong; the message says why.\n\n"
      "2: the target cannot be reached.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM.\n\n255: any other failure.\n" },
    { "EXAMPLES",
      "Compare three encoders:\n\n"
      "  vmaf-tune compare film.mkv --encoders libx264,libx265,libsvtav1 --crf 20..44:6 --html film.html\n\n"
      "Encode a film so that only one frame in twenty scores below 95:\n\n"
      "  vmaf-tune search film.mkv --encoder libsvtav1 --target 95:p5 --output film.av1.mkv\n" },
    { "SEE ALSO", "vmaf(1), vmaf-mcp(1), ffmpeg(1)\n" },
    { NULL, NULL },
};

static const ManualSection mcp_sections[] = {
    { "TOOLS",
      "score, compare, worst_frames, list_backends, describe_model and search_target. A client can list them with "
      "their arguments and results.\n" },
    { "SAFETY",
      "The server reads only regular files below the folders given with --allow, even through links, and writes none. "
      "Videos, models and drivers are opened in child processes, which end with the "
      "call: also when it is cancelled, takes too long, or the client disconnects.\n" },
    { "EXIT STATUS",
      "0: the client closed the input.\n\n1: the command line is wrong, or the server could not start.\n\n"
      "129, 130, 143: ended by SIGHUP, SIGINT or SIGTERM.\n" },
    { "EXAMPLES", "The way many clients are configured:\n\n"
                  "  { \"mcpServers\": { \"vmaf\": {\n"
                  "  \"command\": \"vmaf-mcp\", \"args\": [\"--allow\", \"/videos\"] } } }\n" },
    { "SEE ALSO", "vmaf(1), vmaf-tune(1)\n" },
    { NULL, NULL },
};

static const ManualSection shard_sections[] = {
    { "PARTS",
      "The parts are files in a folder, beside a file that describes the split. A part file is always complete, and is never "
      "scored again: after a failure, the same command continues with the missing parts. Parts of other videos, with "
      "other options, of another number of parts or by another version are an error.\n" },
    { "EXIT STATUS",
      "0: success; with a cluster, the jobs are submitted.\n\n"
      "1: the command line is wrong, or the folder contains parts of something else.\n\n"
      "2: parts are missing (merge, status), or a score is below --fail_under.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM. No process and no incomplete part file is left.\n\n"
      "255: any other failure.\n" },
    { "ENVIRONMENT",
      "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX or PBS_ARRAY_INDEX hold the number of the part "
      "for the command part.\n" },
    { "EXAMPLES",
      "On all devices of this machine:\n\n"
      "  vmaf-shard submit -r film.mkv -d film.av1.mkv -o report.json\n\n"
      "With PSNR, in 64 Slurm tasks with a GPU each:\n\n"
      "  vmaf-shard submit --engine slurm --gpus-per-task 1 -n 64 -r film.mkv -d film.av1.mkv -o report.json -- "
      "--feature psnr\n\n"
      "Show the progress:\n\n  vmaf-shard status report.json.parts\n" },
    { "SEE ALSO", "vmaf(1), sbatch(1), kubectl(1)\n" },
    { NULL, NULL },
};

static Subcommand vmaf_commands[] = {
    { .words = "[OPTION]... REFERENCE DISTORTED..." },
};
static const Subcommand mcp_commands[] = {
    { .words = "--allow FOLDER... [OPTION]...", .options = mcp_options },
};

static ManualProgram programs[] = {
    { .name = "vmaf",
      .summary = "score the quality of a video against its reference",
      .description =
          "vmaf scores every frame of a distorted video against its reference, with the models and features of "
          "VMAF, prints the mean of each model and writes a report if it is asked to. Videos are Y4M files, "
          "raw planes, or anything that FFmpeg's libraries can read.\n\n"
          "Long options may be shortened to a unique prefix, may have hyphens in place of underscores, and take "
          "their value as the next argument or after an equals sign. Numbers are in C notation. -h is the "
          "height; for help use --help.\n",
      .word = "file",
      .commands = vmaf_commands,
      .command_count = 1,
      .sections = vmaf_sections },
    { .name = "vmaf-tune",
      .summary = "compare encoders and find settings by their VMAF scores",
      .description =
          "vmaf-tune runs encoders, scores their encodes with vmaf, on several devices at once, and compares "
          "encoders and settings: bitrates, scores, speeds, Bjøntegaard deltas, the hull of the best "
          "choices, or the setting that just reaches a score.\n\n"
          "Encoders are started directly, never through a shell. Ctrl-C ends them and removes all "
          "temporary files.\n",
      .word = "file",
      .commands = tune_commands,
      .sections = tune_sections },
    { .name = "vmaf-mcp",
      .summary = "serve VMAF to assistants by the Model Context Protocol",
      .description =
          "A client of the Model Context Protocol, such as an editor or an assistant, starts vmaf-mcp "
          "and talks to it over standard input and output. It offers tools that score videos, compare encodes, "
          "show the worst frames and find the setting of an encoder that reaches a score.\n",
      .word = "folder",
      .commands = mcp_commands,
      .command_count = 1,
      .sections = mcp_sections },
    { .name = "vmaf-shard",
      .summary = "score long videos in parts, on one machine or many",
      .description =
          "vmaf-shard splits a pair of videos into parts, scores them on this machine's devices or with Slurm, Kubernetes or AWS "
          "Batch, and merges them into the report that a single run of vmaf would have written, byte for byte (except "
          "for the time it took). Options for vmaf go after --.\n",
      .word = "folder",
      .commands = shard_commands,
      .sections = shard_sections },
};

static unsigned count_commands(const Subcommand *table)
{
    unsigned count = 0;
    while (table[count].name)
        count++;
    return count;
}

/* Fills in what is only known at run time. */
static void fill_tables(void)
{
    vmaf_commands[0].options = option_table();
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        if (programs[i].commands->name)
            programs[i].command_count = count_commands(programs[i].commands);
}

const ManualProgram *manual_program(const char *name)
{
    fill_tables();
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        if (!strcmp(programs[i].name, name))
            return &programs[i];
    return NULL;
}
