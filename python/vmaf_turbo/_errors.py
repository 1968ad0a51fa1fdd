# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The package's exception."""


class VmafError(Exception):
    """A score could not be computed. The text says why, and `code` is the command's exit status or the negative errno of
    the library."""

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code
