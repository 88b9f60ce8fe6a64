"""The documents of AA-LCR from a user's folder: packed, unpacked, or not there."""

import zipfile
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.aa_lcr.task import benchmark
from assay.domain.benchmark import Cue, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import DataMissingError
from assay.domain.outcome import Outcome

DOCUMENTS = {"lcr/Legal/set_a/a.txt": "first", "lcr/Legal/set_a/b.txt": "second", "README.txt": "other"}


class Approving:
    model = "judge"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        _ = prompt, generation, cue, vote
        return Completion("CORRECT")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "AA-LCR_Dataset.csv").write_text(
        ",document_category,document_set_id,question_id,question,answer,data_source_filenames\n"
        '0,Legal,set_a,7,"Who owes what? ",Ada owes 5,b.txt;a.txt\n'
    )
    return tmp_path


def prompt_from(folder: Path) -> str:
    item_set = benchmark.load(FileDataLibrary(folder / "unused").open(benchmark, str(folder)).tables)
    return item_set.prompt(item_set.items[0]).text


def test_documents_come_from_an_archive_or_a_folder(folder: Path) -> None:
    with zipfile.ZipFile(folder / "AA-LCR_extracted-text.zip", "w") as archive:
        for path, text in DOCUMENTS.items():
            archive.writestr(path, text)
    packed = prompt_from(folder)
    (folder / "AA-LCR_extracted-text.zip").unlink()
    for name, text in DOCUMENTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert prompt_from(folder) == packed
    assert "BEGIN DOCUMENT 1:\nsecond\nEND DOCUMENT 1\n\nBEGIN DOCUMENT 2:\nfirst\nEND" in packed


async def test_without_documents_answers_can_still_be_graded(folder: Path) -> None:
    item_set = benchmark.load(FileDataLibrary(folder).open(benchmark, str(folder)).tables)
    grade = await benchmark.grade(
        item_set.items[0], Completion("five"), Services(panel=Panel((Approving(),)))
    )
    assert grade.outcome is Outcome.CORRECT
    with pytest.raises(DataMissingError, match="no file for the split 'documents'"):
        item_set.prompt(item_set.items[0])
