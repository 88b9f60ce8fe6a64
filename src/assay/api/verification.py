"""Verifies uploaded exports, each in a process of its own that has limits of time and memory."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from assay.api.schemas.exports import VerificationResult
from assay.engine.exports.archive import ArchiveLimits
from assay.engine.exports.json_stream import ValueLimits
from assay.engine.exports.verification.checks import Check, Finding, Report
from assay.engine.exports.verification.verify import IsSignedBy, Trust, Verifier
from assay.engine.limited_process import LimitedProcess, LimitExceededError
from assay.engine.planning.catalogue import Catalogue

_LIMITS = ArchiveLimits(results_bytes=4 << 30, values=ValueLimits(characters=64 << 20, parts=4_000_000))
_MEMORY_BYTES = 1 << 30
_TIMEOUT_S = 300.0
# Others wait: each may take a processor and the memory above.
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="verify")


async def verification(file: BinaryIO, is_signed_by: IsSignedBy, trust: Trust) -> VerificationResult:
    """Problems of the file are in the result, and so is a limit that it exceeds."""
    return await asyncio.get_running_loop().run_in_executor(
        _THREADS, _verified_elsewhere, file, is_signed_by, trust
    )


def _verified_elsewhere(file: BinaryIO, is_signed_by: IsSignedBy, trust: Trust) -> VerificationResult:
    process = LimitedProcess(memory_bytes=_MEMORY_BYTES)
    try:
        with NamedTemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            return process.call(_verified, copy.name, is_signed_by, trust, timeout_s=_TIMEOUT_S)
    except LimitExceededError as error:
        detail = f"the content of this export: this server could not verify it ({error})"
        return VerificationResult.of(Report((Finding(Check.ARCHIVE, "unknown", detail),)))
    finally:
        process.close()


def _verified(path: str, is_signed_by: IsSignedBy, trust: Trust) -> VerificationResult:
    verifier = Verifier(is_signed_by, trust, Catalogue.installed(), _LIMITS)
    with Path(path).open("rb") as file:
        return VerificationResult.of(asyncio.run(verifier.verify(file)))
