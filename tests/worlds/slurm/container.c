/* Stands in for pyxis on the test cluster: takes its options from srun, writes down what came of them, and starts the
 * task behind a root of its own, where nothing of the folders `hide` is and the mounts are. It has no image: the rest of
 * the root is this machine's.
 *
 * plugstack.conf: required container.so records=FOLDER hide=FOLDER[,FOLDER...]
 * FOLDER/JOB.STEP          NUL-ended: "O name=value" of each option, "E NAME=VALUE" of the step, "A word" of the command
 * FOLDER/JOB.STEP.removed  made by a helper of the account's when the task is over: a removed image takes its time
 * FOLDER/image.env         lines NAME=VALUE, which win over the step's: as an image's own environment does in pyxis
 * FOLDER/fails             while it is there, no container starts
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(container, 1)

enum { IMAGE, MOUNTS, WORKDIR, MOUNT_HOME, REMAP_ROOT, ENTRYPOINT, OPTIONS };
static const char *names[OPTIONS] = {"image", "mounts", "workdir", "mount-home", "remap-root", "entrypoint"};
static char *given[OPTIONS];
static char records[4000], hidden[4000], base[4096];

static int take(int number, const char *value, int remote)
{
    int which = number % 100;
    (void)remote;
    free(given[which]);
    given[which] = strdup(which < MOUNT_HOME ? value : number < 100 ? "yes" : "no");
    return 0;
}

static struct spank_option options[] = {
    {"container-image", "IMAGE", "stands in for pyxis", 1, IMAGE, take},
    {"container-mounts", "SRC:DST", "stands in for pyxis", 1, MOUNTS, take},
    {"container-workdir", "PATH", "stands in for pyxis", 1, WORKDIR, take},
    {"container-mount-home", NULL, "stands in for pyxis", 0, MOUNT_HOME, take},
    {"no-container-mount-home", NULL, "stands in for pyxis", 0, 100 + MOUNT_HOME, take},
    {"container-remap-root", NULL, "stands in for pyxis", 0, REMAP_ROOT, take},
    {"no-container-remap-root", NULL, "stands in for pyxis", 0, 100 + REMAP_ROOT, take},
    {"container-entrypoint", NULL, "stands in for pyxis", 0, ENTRYPOINT, take},
    {"no-container-entrypoint", NULL, "stands in for pyxis", 0, 100 + ENTRYPOINT, take},
    SPANK_OPTIONS_TABLE_END};

int slurm_spank_init(spank_t sp, int count, char **words)
{
    if (spank_context() != S_CTX_LOCAL && spank_context() != S_CTX_REMOTE)
        return 0;
    for (int i = 0; i < count; i++) {
        if (!strncmp(words[i], "records=", 8))
            snprintf(records, sizeof records, "%s", words[i] + 8);
        if (!strncmp(words[i], "hide=", 5))
            snprintf(hidden, sizeof hidden, "%s", words[i] + 5);
    }
    for (int i = 0; options[i].name; i++)
        if (spank_option_register(sp, &options[i]) != ESPANK_SUCCESS)
            return -1;
    return 0;
}

static int fail(const char *what)
{
    slurm_error("container: %s: %s", what, strerror(errno));
    return -1;
}

static int record(spank_t sp)
{
    char path[5000], **env = NULL, **words = NULL;
    int count = 0;
    if (spank_get_item(sp, S_JOB_ENV, &env) || spank_get_item(sp, S_JOB_ARGV, &count, &words))
        return fail("the step");
    snprintf(path, sizeof path, "%s.new", base);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail(path);
    for (int i = 0; i < OPTIONS; i++)
        if (given[i])
            fprintf(file, "O %s=%s%c", names[i], given[i], 0);
    for (; *env; env++)
        fprintf(file, "E %s%c", *env, 0);
    for (int i = 0; i < count; i++)
        fprintf(file, "A %s%c", words[i], 0);
    return fclose(file) || rename(path, base) ? fail(path) : 0;
}

static int lay(const char *root) /* all folders of this machine's root, under another one */
{
    char from[5000], to[9500], link[5000];
    DIR *top = opendir("/");
    struct dirent *entry;
    struct stat about;
    if (!top || mount("none", root, "tmpfs", 0, "mode=755"))
        return fail(root);
    while ((entry = readdir(top))) {
        snprintf(from, sizeof from, "/%s", entry->d_name);
        snprintf(to, sizeof to, "%s/%s", root, entry->d_name);
        if (entry->d_name[0] == '.' || lstat(from, &about))
            continue;
        if (S_ISLNK(about.st_mode)) {
            ssize_t size = readlink(from, link, sizeof link - 1);
            link[size < 0 ? 0 : size] = 0;
            if (symlink(link, to))
                return fail(to);
        } else if (S_ISDIR(about.st_mode) && (mkdir(to, 0755) || mount(from, to, NULL, MS_BIND | MS_REC, NULL)))
            return fail(to);
    }
    closedir(top);
    return 0;
}

static int hide_and_mount(const char *root)
{
    char path[9500], *word, *rest, *source, *target, *flags;
    for (rest = strdup(hidden); (word = strsep(&rest, ",")) && *word;) {
        snprintf(path, sizeof path, "%s%s", root, word);
        if (mount("none", path, "tmpfs", 0, "mode=755"))
            return fail(path);
    }
    for (rest = strdup(given[MOUNTS] ? given[MOUNTS] : ""); (word = strsep(&rest, ",")) && *word;) {
        source = strsep(&word, ":");
        target = strsep(&word, ":");
        flags = word;
        snprintf(path, sizeof path, "%s%s", root, target ? target : source);
        if ((mkdir(path, 0755) && errno != EEXIST) || mount(source, path, NULL, MS_BIND | MS_REC, NULL))
            return fail(path);
        if (flags && !strcmp(flags, "ro") && mount("none", path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL))
            return fail(path);
    }
    return 0;
}

static int image_environment(spank_t sp)
{
    char path[5000], line[5000], *value;
    snprintf(path, sizeof path, "%s/image.env", records);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if ((value = strchr(line, '='))) {
            *value = 0;
            spank_setenv(sp, line, value + 1, 1);
        }
    }
    return file ? fclose(file) : 0;
}

int slurm_spank_task_init_privileged(spank_t sp, int count, char **words)
{
    char root[5000], path[5000];
    uint32_t job, step;
    (void)count, (void)words;
    if (!given[IMAGE])
        return 0;
    if (spank_get_item(sp, S_JOB_ID, &job) || spank_get_item(sp, S_JOB_STEPID, &step))
        return fail("the job");
    snprintf(base, sizeof base, "%s/%u.%u", records, job, step);
    snprintf(root, sizeof root, "%s/root", records);
    snprintf(path, sizeof path, "%s/fails", records);
    if (!access(path, F_OK))
        return fail("no such image");
    if (record(sp) || image_environment(sp))
        return -1;
    if (unshare(CLONE_NEWNS))
        return fail("a namespace");
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && errno != EINVAL) /* in a chroot the root is no mount */
        return fail("mounts of its own");
    if (lay(root) || hide_and_mount(root))
        return -1;
    return chroot(root) ? fail(root) : 0;
}

int slurm_spank_task_init(spank_t sp, int count, char **words)
{
    (void)sp, (void)count, (void)words;
    return given[IMAGE] && chdir(given[WORKDIR] ? given[WORKDIR] : "/") ? fail("the working folder") : 0;
}

int slurm_spank_task_exit(spank_t sp, int count, char **words) /* returns when the helper is done */
{
    char path[5000], **env = NULL, done;
    int end[2];
    uint32_t job, step;
    uid_t uid;
    gid_t gid;
    (void)count, (void)words;
    if (!given[IMAGE] || spank_get_item(sp, S_JOB_ENV, &env))
        return 0;
    if (spank_get_item(sp, S_JOB_ID, &job) || spank_get_item(sp, S_JOB_STEPID, &step) ||
        spank_get_item(sp, S_JOB_UID, &uid) || spank_get_item(sp, S_JOB_GID, &gid))
        return fail("the job");
    snprintf(path, sizeof path, "%s/%u.%u.removed", records, job, step);
    if (pipe(end))
        return fail("a pipe");
    pid_t first = fork(); /* the helper is its child: below the step daemon SLURM would end it, which cgroups would not */
    if (first == 0) {
        if (fork() == 0 && setregid(gid, gid) == 0 && setreuid(uid, uid) == 0)
            execle("/bin/sh", "sh", "-c", "sleep 1; : >\"$0\"", path, NULL, env);
        _exit(0);
    }
    close(end[1]);
    while (first > 0 && waitpid(first, NULL, 0) < 0 && errno == EINTR)
        continue;
    while (read(end[0], &done, 1) < 0 && errno == EINTR)
        continue;
    return close(end[0]);
}
