"""Tests the file that loads the extension in new kernels: written and removed at a request, others untouched."""

import os
import uuid
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager
from kernel_pages import Page, of_type, ours

from jupyter_jaxpr.build.texts.stablehlo_and_hlo import Unavailable
from jupyter_jaxpr.wire.startup_file import NAME, TEXT, StartupFile

pytestmark = pytest.mark.any_jax


def refusal(act):
    with pytest.raises(Unavailable) as raised:
        act()
    return str(raised.value)


def test_it_is_written_into_a_folder_that_may_not_exist_and_removed(tmp_path):
    file = StartupFile(tmp_path / "profile_default" / "startup")
    assert not file.is_there()

    file.write()
    assert file.is_there()
    assert file.path.name == NAME
    assert file.path.read_text(encoding="utf-8") == TEXT
    file.write()  # a second write, as from another page, changes nothing

    file.remove()
    file.remove()
    assert not file.is_there()
    assert list(file.path.parent.iterdir()) == []


@pytest.mark.parametrize("text", [b"", b"import numpy as np\n", TEXT.encode() + b"print('mine')\n", b"\xff\xfe"])
def test_a_file_that_is_not_ours_stays_as_it_is(tmp_path, text):
    file = StartupFile(tmp_path)
    file.path.write_bytes(text)

    sentence = (
        f"The file {file.path} exists and has another text than jupyter_jaxpr wrote, so jupyter_jaxpr does not change "
        "the file. Read the file. If you no longer need the file, delete the file yourself."
    )
    for act in (file.is_there, file.write, file.remove):
        assert refusal(act) == sentence
    assert file.path.read_bytes() == text


def test_a_folder_that_takes_no_file_is_said(tmp_path):
    (tmp_path / "startup").write_text("no folder")
    file = StartupFile(tmp_path / "startup")

    assert refusal(file.write) == (
        f"The file {file.path} was not written: File exists. Make its folder writable, or load the extension in the "
        "notebook with %load_ext jupyter_jaxpr."
    )


def test_a_disk_that_is_full_leaves_no_half_of_it(tmp_path, monkeypatch):
    file = StartupFile(tmp_path)
    open_file = Path.open

    def open_full(path, *arguments, **options):
        opened = open_file(path, *arguments, **options)

        def write(text):
            raise OSError(28, "No space left on device")

        opened.write = write
        return opened

    monkeypatch.setattr(Path, "open", open_full)
    assert "was not written: No space left on device." in refusal(file.write)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_next_kernel_has_the_magic_from_its_start(tmp_path):
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=environment)
    page = Page(manager)
    try:
        page.run("%load_ext jupyter_jaxpr\nimport jax, jax.numpy as jnp")
        heard = page.run("%%jaxpr\njax.jit(jnp.sin)(1.0)")
        (sent,) = filter(of_type("snapshot"), ours(heard))
        request = {"type": "startup", "snapshot": sent["snapshot"]["id"]}
        comm = page.open_requests()
        path = tmp_path / "profile_default" / "startup" / NAME
        expected = {"file": str(path), "text": TEXT, "written": False}
        assert page.ask(comm, **request, id=1, action="look")["result"] == expected
        assert not path.exists()
        assert page.ask(comm, **request, id=2, action="write")["result"] == {**expected, "written": True}
        assert path.read_text() == TEXT

        page.close()
        manager.restart_kernel(now=True)
        page = Page(manager)
        before = f"names_{uuid.uuid4().hex}"
        page.run(f"{before} = [name for name in dir() if 'find_spec' in name]\nimport jax, jax.numpy as jnp")
        heard = page.run(f"%%jaxpr\nassert {before} == []\njax.jit(jnp.cos)(1.0)")
        (sent,) = filter(of_type("snapshot"), ours(heard))
        assert [program["name"] for program in sent["snapshot"]["programs"]] == ["cos"]
        comm = page.open_requests()
        request["snapshot"] = sent["snapshot"]["id"]
        assert page.ask(comm, **request, id=3, action="remove")["result"] == expected
        assert not path.exists()
    finally:
        page.close()
        manager.shutdown_kernel(now=True)
