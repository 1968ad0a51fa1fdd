/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Locks of whole files. */
#ifndef WINDOWS_SYS_FILE_H
#define WINDOWS_SYS_FILE_H

#define LOCK_EX 2
#define LOCK_NB 4
/* Takes the file's lock, which belongs to this opening of it and ends with it: only LOCK_EX |
 * LOCK_NB. -1 with errno EWOULDBLOCK: another opening has it. The file can be read and written
 * meanwhile. */
int posix_flock(int fd, int operation);
#define flock posix_flock

#endif
