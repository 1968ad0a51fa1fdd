/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parses the images that a driver would compile: PTX, as far as our compilers use its grammar, and
 * AMD's code objects, which are ELF files. */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

/* ---- PTX ---- */

#define REGISTERS_MAX 16
#define NAMES_MAX 256
#define BLOCKS_MAX 4 /* depth of nested blocks */

typedef struct Ptx {
    char *text;       /* without comments */
    const char *body; /* the body of the current entry, without the text behind it */
    struct {
        char name[16];          /* includes the %, if any, but no number */
        unsigned count;         /* 0: one register, without a number */
    } registers[REGISTERS_MAX]; /* registers of the entry and of the blocks around this statement */
    unsigned register_count;
    char why[128];
} Ptx;

static char *without_comments(const char *text)
{
    char *out = malloc(strlen(text) + 1), *to = out;
    while (out && *text) {
        const char *end = !strncmp(text, "/*", 2) ? strstr(text, "*/") : NULL;
        if (!strncmp(text, "//", 2))
            text += strcspn(text, "\n");
        else if (end)
            text = end + 2;
        else
            *to++ = *text++;
    }
    if (out)
        *to = '\0';
    return out;
}

static bool is_opcode(const char *word, size_t length)
{
    static const char known[] =
        " abs activemask add addc and atom bar barrier bfe bfi bfind bra brev call clz copysign cvt "
        "cvta div ex2 exit fma fns ld ldu lg2 lop3 mad mad24 madc max membar min mov mul mul24 neg not "
        "or popc prmt rcp red rem ret rsqrt sad selp set setp shf shfl shl shr slct sqrt st sub subc "
        "testp trap vote xor ";
    char padded[24];
    length = strcspn(word, ".; \t\n") < length ? strcspn(word, ".; \t\n") : length;
    if (!length || length > 20)
        return false;
    snprintf(padded, sizeof(padded), " %.*s ", (int)length, word);
    return strstr(known, padded);
}

static bool is_special(const char *name, size_t length)
{
    static const char *const special[] = { "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid" };
    for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        if (strlen(special[i]) == length && !strncmp(name, special[i], length))
            return true;
    return false;
}

/* Checks that `name` is a declared register, with a number below its count if it has numbers. */
static bool is_register(const Ptx *ptx, const char *name)
{
    const size_t length = strcspn(name, "0123456789 ,;]}.+|\t\n");
    if (*name == '%' && is_special(name + 1, length - 1))
        return true;
    for (unsigned i = 0; i < ptx->register_count; i++) {
        if (strlen(ptx->registers[i].name) != length ||
            strncmp(name, ptx->registers[i].name, length))
            continue;
        const bool numbered = isdigit((unsigned char)name[length]);
        return ptx->registers[i].count
                   ? numbered && strtoul(name + length, NULL, 10) < ptx->registers[i].count
                   : !numbered;
    }
    return false;
}

/* Checks the names in an operand such as {tmp, %r1}, whose % may be missing. `at` points behind
 * {. */
static bool check_vector(const Ptx *ptx, const char *at)
{
    do {
        at += strspn(at, " \t,");
        if (isalpha((unsigned char)*at) && !is_register(ptx, at))
            return false;
        at += strcspn(at, ",}");
    } while (*at == ',');
    return *at == '}';
}

/* Reads a declaration: of many registers, %r<8>, or of one, %SP or tmp. */
static bool declare(Ptx *ptx, const char *statement)
{
    if (strncmp(statement, ".reg", 4))
        return !strncmp(statement, ".local", 6) || !strncmp(statement, ".shared", 7) ||
               !strncmp(statement, ".pragma", 7);
    const unsigned i = ptx->register_count;
    int name = 0, count = 0; /* offsets where the name and the count end */
    if (i == REGISTERS_MAX ||
        sscanf(statement, ".reg .%*[a-z0-9] %15[%A-Za-z]%n", ptx->registers[i].name, &name) != 1)
        return false;
    ptx->registers[i].count = 0;
    if (statement[name] &&
        (sscanf(statement + name, "<%u>%n", &ptx->registers[i].count, &count) != 1 || !count))
        return false;
    ptx->register_count++;
    return true;
}

static bool check_statement(Ptx *ptx, const char *statement)
{
    if (*statement == '.')
        return declare(ptx, statement);
    for (const char *at = strchr(statement, '%'); at; at = strchr(at + 1, '%'))
        if (!is_register(ptx, at))
            return false;
    for (const char *at = strchr(statement, '{'); at; at = strchr(at + 1, '{'))
        if (!check_vector(ptx, at + 1))
            return false;
    if (*statement == '@')
        statement += strcspn(statement, " \t");
    statement += strspn(statement, " \t");
    if (!is_opcode(statement, strlen(statement)))
        return false;
    if (strncmp(statement, "bra", 3))
        return true;
    char label[80];
    if (sscanf(statement, "%*s %76[A-Za-z0-9_$]", label) != 1)
        return false;
    return strstr(ptx->body, strcat(label, ":"));
}

/* Checks the statement at *at, and moves *at behind it. */
static bool read_statement(Ptx *ptx, const char **at)
{
    const size_t length = strcspn(*at, ";");
    char statement[512];
    if (!(*at)[length] || length >= sizeof(statement)) {
        snprintf(ptx->why, sizeof(ptx->why), "the text ends in the middle");
        return false;
    }
    snprintf(statement, sizeof(statement), "%.*s", (int)length, *at);
    *at += length + 1;
    if (check_statement(ptx, statement))
        return true;
    snprintf(ptx->why, sizeof(ptx->why), "syntax error near '%.60s'", statement);
    return false;
}

/* Checks an entry's body, from behind its first brace to the end of the text. Blocks in it may
 * declare registers of their own. */
static bool check_body(Ptx *ptx, const char *at)
{
    unsigned before[BLOCKS_MAX], depth = 0; /* registers declared before each block */
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '}' && !depth)
            return !at[1 + strspn(at + 1, " \t\r\n")];
        if (*at == '}' || (*at == '{' && depth < BLOCKS_MAX)) {
            if (*at++ == '{')
                before[depth++] = ptx->register_count;
            else
                ptx->register_count = before[--depth];
            continue;
        }
        const size_t word =
            strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$");
        if (word && at[word] == ':')
            at += word + 1;
        else if (!read_statement(ptx, &at))
            return false;
    }
}

/* Checks that no two arrays of the module have the same name. */
static bool check_names(Ptx *ptx)
{
    char names[NAMES_MAX][80];
    unsigned count = 0;
    for (const char *at = strstr(ptx->text, "\n."); at; at = strstr(at + 1, "\n.")) {
        char line[256];
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        const char *type = strstr(line, ".b8 ");
        if (!type || count == NAMES_MAX || sscanf(type, ".b8 %79[A-Za-z0-9_$][", names[count]) != 1)
            continue;
        for (unsigned i = 0; i < count; i++) {
            if (!strcmp(names[i], names[count])) {
                snprintf(ptx->why, sizeof(ptx->why), "two arrays called '%.60s'", names[i]);
                return false;
            }
        }
        count++;
    }
    return true;
}

/* Parses one entry; *rest is the text behind it. */
static bool read_entry(Ptx *ptx, char *entry, Entry *out, char **rest)
{
    unsigned width, height = 1, depth = 1;
    char parameter[80];
    if (sscanf(entry, ".entry %63[A-Za-z0-9_$] ( .param .align 8 .b8 %79[A-Za-z0-9_$][%u] )",
               out->name, parameter, &out->arguments_size) != 3)
        return false;
    char *body = strchr(entry, '{'), *limit = strstr(entry, ".maxntid");
    char *end = body ? strstr(body, "\n}") : NULL;
    if (!end)
        return false;
    if (limit && limit < body && sscanf(limit, ".maxntid %u, %u, %u", &width, &height, &depth) >= 1)
        out->max_threads = width * height * depth;
    *rest = end + 2 + (end[2] != '\0');
    end[2] = '\0';
    ptx->body = body;
    ptx->register_count = 0;
    return check_body(ptx, body + 1);
}

static int read_module(Ptx *ptx, Entry *entries, unsigned *count)
{
    unsigned major, minor, sm, bits;
    char *at = ptx->text + strspn(ptx->text, " \t\r\n");
    snprintf(ptx->why, sizeof(ptx->why), "no header, or no entry");
    if (sscanf(at, ".version %u.%u .target sm_%u .address_size %u", &major, &minor, &sm, &bits) !=
        4)
        return INVALID_PTX;
    if (major > 9)
        return UNSUPPORTED_PTX_VERSION;
    if (bits != 64 || !check_names(ptx))
        return INVALID_PTX;
    while ((at = strstr(at, ".entry "))) {
        if (*count == ENTRIES_MAX || strstr(at + 1, ".version ") ||
            !read_entry(ptx, at, &entries[(*count)++], &at))
            return INVALID_PTX;
        at += strspn(at, " \t\r\n");
        if (*at && *at != '.')
            return INVALID_PTX;
    }
    return *count ? OK : INVALID_PTX;
}

int image_read_ptx(const char *text, Entry entries[ENTRIES_MAX], unsigned *count, char *why,
                   size_t why_size)
{
    Ptx ptx = { .text = without_comments(text) };
    memset(entries, 0, ENTRIES_MAX * sizeof(*entries));
    *count = 0;
    const int err = ptx.text ? read_module(&ptx, entries, count) : OUT_OF_MEMORY;
    snprintf(why, why_size, "%s", err ? ptx.why : "");
    free(ptx.text);
    return err;
}

/* ---- code objects ---- */

#define DESCRIPTOR_SIZE 64
#define DESCRIPTOR_KERNARG_SIZE 8 /* offset of the bytes of arguments */

typedef struct Blob {
    const char *data;
    uint64_t size;
} Blob;

static const void *blob_at(const Blob *blob, uint64_t offset, uint64_t size)
{
    return offset <= blob->size && size <= blob->size - offset ? blob->data + offset : NULL;
}

/* Finds the first kernel descriptor among the dynamic symbols. */
static bool read_descriptor(const Blob *elf, const Elf64_Shdr *sections, unsigned section_count,
                            const Elf64_Shdr *symbols, Entry *out)
{
    if (symbols->sh_link >= section_count)
        return false;
    const Elf64_Shdr *strings = &sections[symbols->sh_link];
    const Blob names = { blob_at(elf, strings->sh_offset, strings->sh_size), strings->sh_size };
    const Elf64_Sym *table = blob_at(elf, symbols->sh_offset, symbols->sh_size);
    if (!names.data || !names.size || names.data[names.size - 1] || !table)
        return false;
    for (uint64_t i = 0; i < symbols->sh_size / sizeof(*table); i++) {
        const char *name = blob_at(&names, table[i].st_name, 1);
        const size_t length = name ? strlen(name) : 0;
        if (length < 4 || length >= sizeof(out->name) || strcmp(name + length - 3, ".kd") ||
            table[i].st_size != DESCRIPTOR_SIZE || table[i].st_shndx >= section_count)
            continue;
        const Elf64_Shdr *home = &sections[table[i].st_shndx];
        const char *descriptor =
            blob_at(elf, home->sh_offset + table[i].st_value - home->sh_addr, DESCRIPTOR_SIZE);
        if (!descriptor)
            return false;
        snprintf(out->name, sizeof(out->name), "%.*s", (int)length - 3, name);
        memcpy(&out->arguments_size, descriptor + DESCRIPTOR_KERNARG_SIZE, 4);
        return true;
    }
    return false;
}

/* The architecture is in the low byte of the ELF flags. Those that no table names fit any
 * device. */
static bool is_for(const Elf64_Ehdr *header, const char *arch)
{
    static const struct {
        const char *arch;
        unsigned char number;
    } known[] = {
        { "gfx900", 0x2c },  { "gfx906", 0x2f },  { "gfx90a", 0x3f },  { "gfx942", 0x4c },
        { "gfx1030", 0x36 }, { "gfx1036", 0x45 }, { "gfx1100", 0x41 }, { "gfx1201", 0x4e }
    };
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (!strcmp(known[i].arch, arch))
            return (header->e_flags & 0xff) == known[i].number;
    return true;
}

static bool read_elf(const Blob *elf, Entry *out)
{
    const Elf64_Ehdr *header = blob_at(elf, 0, sizeof(*header));
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_machine != EM_AMDGPU ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections =
        blob_at(elf, header->e_shoff, header->e_shnum * (uint64_t)sizeof(Elf64_Shdr));
    for (unsigned i = 0; sections && i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM)
            return read_descriptor(elf, sections, header->e_shnum, &sections[i], out);
    return false;
}

int image_read_object(const void *image, const char *arch, Entry *out, char *why, size_t why_size)
{
    const Blob elf = { image, UINT32_MAX }; /* its size is unknown */
    memset(out, 0, sizeof(*out));
    const bool read = read_elf(&elf, out);
    if (read && !is_for(image, arch)) {
        snprintf(why, why_size, "%s is not for %s", out->name, arch);
        return NO_BINARY_FOR_GPU;
    }
    snprintf(why, why_size, "%s", read ? "" : "no kernel in it");
    return read ? OK : INVALID_IMAGE;
}
