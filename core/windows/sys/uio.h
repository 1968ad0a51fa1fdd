/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads into several pieces of memory. */
#ifndef WINDOWS_SYS_UIO_H
#define WINDOWS_SYS_UIO_H

struct iovec {
    void *iov_base;
    size_t iov_len;
};
/* Reads into the first piece only: callers accept fewer bytes. Any thread may call it. */
ssize_t posix_preadv(int fd, const struct iovec *pieces, int count, int64_t offset);
#define preadv posix_preadv

#endif
