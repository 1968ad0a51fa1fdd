/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The size of a console. */
#ifndef WINDOWS_SYS_IOCTL_H
#define WINDOWS_SYS_IOCTL_H

struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 1
int posix_ioctl(int fd, int request, struct winsize *size); /* TIOCGWINSZ */
#define ioctl posix_ioctl

#endif
