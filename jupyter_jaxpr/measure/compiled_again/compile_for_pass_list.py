"""Compiles a lowered program once more and reads the dumps that XLA writes after each pass; all files are removed.

XLA writes the dumps into a folder that only this user can read; the folder is removed even after an error. The compile
neither reads nor writes JAX's cache on disk.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from ...interruptions import not_of_a_signal
from ...jax.compile_without_disk_cache import without_disk_cache
from ...plain_text import kind_name, message_of
from ...program.texts.pass_dumps import Passes, read_passes


class NoPasses(Exception):
    """Raised if XLA's passes cannot be read; the message is a sentence for the user with a cure."""


def dump_passes(lowered: Any) -> Passes:
    """Compile a `jax.stages.Lowered` once more, and return the passes from the dumps that XLA wrote.

    Raises:
        NoPasses: XLA refused the compile, or wrote no files.
    """
    # mkdtemp makes the folder accessible to this user only (mode 0700)
    folder = tempfile.mkdtemp(prefix="jupyter_jaxpr_passes_")
    try:
        options = {"xla_dump_to": folder, "xla_dump_hlo_pass_re": ".*", "xla_dump_hlo_as_text": True}
        try:
            with without_disk_cache():
                lowered.compile(compiler_options=options)
        except not_of_a_signal(Exception) as error:  # XLA does not know the options, or cannot compile the program
            first_line = message_of(error).strip().partition("\n")[0].rstrip(".")
            raise NoPasses(
                f"XLA did not write its passes ({kind_name(type(error))}: {first_line}). The other levels are not "
                "affected."
            ) from error
        passes = read_passes(Path(folder))
        if not passes.passes:
            raise NoPasses("XLA wrote no passes on this backend. The other levels are not affected.")
        return passes
    finally:
        shutil.rmtree(folder, ignore_errors=True)
