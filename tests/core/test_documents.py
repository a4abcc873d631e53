"""The documents: links lead somewhere, commands exist, and what the recipes tell to paste works."""

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from core.__main__ import main

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((REPOSITORY / "docs").glob("*.md"))
ARCHITECTURE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
# A step of a recipe that names a file of the core, and the block of code after it.
FILES = re.compile(r"^\d\. [^\n]*?`(core/[\w/]+\.py)`.*?```python\n(.*?)^ +```", re.MULTILINE | re.DOTALL)


def heading_anchors(document: Path) -> set[str]:
    """As GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    lost = []
    for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in heading_anchors(target)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_exist(document, capsys):
    """The recipe of a method uses the command that it adds."""
    with pytest.raises(SystemExit):
        main(["--help"])
    known = re.search(r"\{([\w,-]+)\}", re.sub(r"\s+", "", capsys.readouterr().out)).group(1).split(",")
    named = set(re.findall(r"python -m core ([a-z][\w-]*)", document.read_text(encoding="utf-8")))
    assert named <= {*known, "limp"}, f"{document.name} names {named - set(known)}"


def test_scripts_and_tests_that_are_named_are_there():
    made = ("stick", "limp", "stroll", "test_stick", "test_limp")  # by who follows the recipes
    named = re.compile(r"\b((?:benchmarks|presets|tests|core|blender_addon)/[\w/]+\.(?:py|sh|json|bvh|jsonl))\b")
    lost = [f"{document.name}: {path}" for document in DOCUMENTS for path in named.findall(document.read_text(encoding="utf-8"))
            if not (REPOSITORY / path).exists() and Path(path).stem not in made]
    assert not lost


@pytest.fixture
def house(tmp_path):
    """A copy of the core with the files that the recipes tell to write."""
    shutil.copytree(REPOSITORY / "core", tmp_path / "core", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("presets", "tests"):
        (tmp_path / folder).symlink_to(REPOSITORY / folder, target_is_directory=True)
    written = set()
    for path, code in FILES.findall(ARCHITECTURE):
        if not (tmp_path / path).exists():
            (tmp_path / path).write_text(textwrap.dedent(code), encoding="utf-8")
            written.add(path)
    assert written == {"core/formats/stick.py", "core/control/limp.py", "core/methods/limp.py"}
    return tmp_path


def in_house(house: Path, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=house, input=text, capture_output=True, text=True)


def test_the_method_of_the_recipe_runs(house):
    done = in_house(house, "-m", "core", "limp", "--push", "0.2,80,0", "--damping", "2", "-o", "limp.npz")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["fell"] and said["simulated_s"] == 3.0 and said["end_position_m"][2] < 0.5
    refused = in_house(house, "-m", "core", "limp", "--damping", "9", "-o", "limp.npz")
    assert refused.returncode == 2 and refused.stderr.strip() == "damping is 9.0; allowed is a number from 0.1 to 5 N·m·s/rad."
    assert "damping is 9.0; allowed is a number from 0.1 to 5 N·m·s/rad." in ARCHITECTURE


def test_the_format_of_the_recipe_is_read(house):
    module = house / "core" / "formats" / "__init__.py"
    text = module.read_text(encoding="utf-8")
    step = ARCHITECTURE.partition("Tell `core/formats/__init__.py`")[2]
    blocks = re.findall(r"^   ```python\n(.*?)^   ```", step, re.MULTILINE | re.DOTALL)[:3]
    for block, before in zip(blocks, ("from .lines", "    if ending in", '    if kind == "asf"'), strict=True):
        lines = textwrap.indent(textwrap.dedent(block), "    " if before.startswith(" ") else "")
        assert text.count(before) == 1
        text = text.replace(before, lines + before)
    module.write_text(text, encoding="utf-8")
    script = re.search(r"python - <<'END'\n(.*?)^ +END$", ARCHITECTURE, re.MULTILINE | re.DOTALL).group(1)
    made = in_house(house, "-", text=textwrap.dedent(script))
    assert made.returncode == 0, made.stderr
    told = [json.loads(in_house(house, "-m", "core", "inspect", clip).stdout) for clip in ("walk.stick", "tests/clips/walk.bvh")]
    assert told[0]["strikes"] == told[1]["strikes"] and (told[0]["seconds"], told[0]["speed_mean"]) == (5.0, 0.944)
    (house / "broken.stick").write_text('{"fps": 30, "joints": []}')
    broken = in_house(house, "-m", "core", "inspect", "broken.stick")
    assert broken.returncode == 2 and "is no stick motion" in broken.stderr and "Traceback" not in broken.stderr
