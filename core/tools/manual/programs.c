/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the tables of options do not say. */
#include <string.h>

#include "manual.h"
#include "extras/mcp/mcp_options.h"
#include "vmaf/option/option.h"
#include "extras/shard/shard_options.h"
#include "extras/tune/options.h"

static const ManualSection vmaf_sections[] = {
    { "EXIT STATUS",
      "0: done, also when one video was longer.\n\n"
      "1: the command line is wrong; the line says what.\n\n"
      "2: a score is below what --fail_under asks for.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM. What was scored until then is in the report.\n\n"
      "255: anything that failed at run time.\n" },
    { "ENVIRONMENT",
      "VMAF_LOG=debug prints what the library does and why.\n\n"
      "VMAF_BACKEND is what --backend is by default, for programs that use the library.\n\n"
      "VMAF_GPU_TIMEOUT is the number of seconds after which a GPU that does not come back is given up.\n\n"
      "VMAF_GPU_DOUBLES=0 or 1 says whether kernels with double precision run where there are any; by default on GPUs that "
      "are fast at it. Scores are the same.\n\n"
      "VMAF_SHARD_COUNT is the number of parts for --shard auto, whose own number an array job tells: "
      "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, PBS_ARRAY_INDEX or PBS_ARRAYID. Slurm "
      "and AWS Batch tell the number of parts themselves.\n" },
    { "EXAMPLES",
      "Score an encode:\n\n  vmaf reference.mkv encoded.mp4\n\n"
      "The same on a GPU, with PSNR and a report:\n\n"
      "  vmaf reference.y4m encoded.y4m --backend auto --feature psnr -o report.json\n\n"
      "Raw video:\n\n  vmaf -r ref.yuv -d dist.yuv -w 1920 -h 1080 -p 420 -b 8\n\n"
      "One of four parts, and the report of all:\n\n"
      "  vmaf reference.y4m encoded.y4m --shard 0/4 -o part0.json\n\n"
      "  vmaf --merge part0.json part1.json part2.json part3.json -o report.json\n" },
    { "SEE ALSO", "vmaf-tune(1), vmaf-shard(1), vmaf-mcp(1), ffmpeg(1)\n" },
    { NULL, NULL },
};

static const ManualSection tune_sections[] = {
    { "EXIT STATUS",
      "0: done.\n\n1: the command line is wrong; the line says what.\n\n"
      "2: the target cannot be reached.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM.\n\n255: anything that failed at run time.\n" },
    { "EXAMPLES",
      "Compare three encoders:\n\n"
      "  vmaf-tune compare film.mkv --encoders libx264,libx265,libsvtav1 --crf 20..44:6 --html film.html\n\n"
      "Encode a film so that one frame in twenty scores 95 at most:\n\n"
      "  vmaf-tune search film.mkv --encoder libsvtav1 --target 95:p5 --output film.av1.mkv\n" },
    { "SEE ALSO", "vmaf(1), vmaf-mcp(1), ffmpeg(1)\n" },
    { NULL, NULL },
};

static const ManualSection mcp_sections[] = {
    { "TOOLS",
      "score, compare, worst_frames, list_backends, describe_model and search_target. A client lists them with "
      "what each takes and gives.\n" },
    { "SAFETY",
      "Files are read only below the folders that were named, wherever links lead, and only ordinary ones; "
      "none is written. Videos, models and drivers are touched in processes of their own, which end with the "
      "call: when it is cancelled, takes too long, or the client goes.\n" },
    { "EXIT STATUS",
      "0: the client has closed the input.\n\n1: the command line is wrong, or the server could not start.\n\n"
      "129, 130, 143: ended by SIGHUP, SIGINT or SIGTERM.\n" },
    { "EXAMPLES", "How many clients are told of a server:\n\n"
                  "  { \"mcpServers\": { \"vmaf\": {\n"
                  "  \"command\": \"vmaf-mcp\", \"args\": [\"--allow\", \"/videos\"] } } }\n" },
    { "SEE ALSO", "vmaf(1), vmaf-tune(1)\n" },
    { NULL, NULL },
};

static const ManualSection shard_sections[] = {
    { "PARTS",
      "Parts lie in a folder, each in a file that takes its place whole or not at all, beside a plan that says what "
      "they are parts of. A part that is there is never scored again: after a failure the same command goes on with "
      "those that are missing. Parts of other videos, options, numbers or versions are refused.\n" },
    { "EXIT STATUS",
      "0: done, or submitted.\n\n"
      "1: the command line is wrong, or parts of something else lie in the folder.\n\n"
      "2: parts are missing (merge, status), or a score is below what --fail_under asks for.\n\n"
      "129, 130, 143: stopped by SIGHUP, SIGINT or SIGTERM. No process is left, nor half a part.\n\n"
      "255: anything that failed at run time.\n" },
    { "ENVIRONMENT",
      "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX or PBS_ARRAY_INDEX tell the command part "
      "which one it is.\n" },
    { "EXAMPLES",
      "All devices of this machine:\n\n"
      "  vmaf-shard submit -r film.mkv -d film.av1.mkv -o report.json\n\n"
      "64 tasks of Slurm, with a GPU each; PSNR, too:\n\n"
      "  vmaf-shard submit --engine slurm --gpus-per-task 1 -n 64 -r film.mkv -d film.av1.mkv -o report.json -- "
      "--feature psnr\n\n"
      "How far it is:\n\n  vmaf-shard status report.json.parts\n" },
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
          "raw planes, or whatever FFmpeg's libraries read.\n\n"
          "Long options may be shortened to a unique prefix, may have hyphens in place of underscores, and take "
          "their value as the next word or behind an equals sign. Numbers are in C notation. -h is the "
          "height; help is --help.\n",
      .word = "file",
      .commands = vmaf_commands,
      .command_count = 1,
      .sections = vmaf_sections },
    { .name = "vmaf-tune",
      .summary = "compare encoders and find settings by their VMAF scores",
      .description =
          "vmaf-tune runs encoders, scores what they make with vmaf, on several devices at once, and says what "
          "encoders and settings are worth: bitrates, scores, speeds, Bjøntegaard deltas, the hull of the best "
          "choices, or the setting that just reaches a score.\n\n"
          "Encoders are run as they are, never through a shell. Ctrl-C ends them and takes all "
          "temporary files away.\n",
      .word = "file",
      .commands = tune_commands,
      .sections = tune_sections },
    { .name = "vmaf-mcp",
      .summary = "serve VMAF to assistants by the Model Context Protocol",
      .description =
          "vmaf-mcp is started by a client of the Model Context Protocol, such as an editor or an assistant, "
          "and talks to it over standard input and output. It offers tools that score videos, compare encodes, "
          "show the worst frames and find the setting of an encoder that reaches a score.\n",
      .word = "folder",
      .commands = mcp_commands,
      .command_count = 1,
      .sections = mcp_sections },
    { .name = "vmaf-shard",
      .summary = "score long videos in parts, on one machine or many",
      .description =
          "vmaf-shard divides a pair of videos into parts, lets this machine's devices, Slurm, Kubernetes or AWS Batch "
          "score them, and merges them into the report that one run of vmaf would have written, byte for byte (but "
          "for the time it took). Options of vmaf stand behind --.\n",
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

/* What other files' tables say only at run time. */
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
