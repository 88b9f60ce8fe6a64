"""Files from the Hugging Face hub, pinned to a revision and checked."""

# huggingface_hub leaves a type parameter open in the signatures of the functions used here.
# pyright: reportUnknownVariableType=false

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.datasets.digests import Digests
from assay.adapters.datasets.progress_bar import reporting_to
from assay.domain.benchmark import Card, DataFile, Source
from assay.domain.errors import (
    AssayError,
    DataChangedError,
    DataGatedError,
    DataMissingError,
    MissingExtraError,
    StoreError,
)
from assay.engine.ports import Progress

_REFUSED = (401, 403)


def fetch_command(card: Card) -> str:
    """The command that fetches the card's data; all variants of a benchmark share it."""
    return f"assay data fetch {card.name.partition(':')[0]}"


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is fetched, and what whoever wants it does when that fails: once more, or something else."""

    source: Source
    again: str
    otherwise: str = ""

    @classmethod
    def of_card(cls, card: Card) -> "Fetch":
        return cls(card.source, f"run `{fetch_command(card)}`", ", or use --data demo")


@dataclass(frozen=True, slots=True)
class Hub:
    """The hub, or a mirror of it at `endpoint`; None means huggingface_hub's default."""

    token: str | None = None
    endpoint: str | None = None
    cache: Path | None = None
    offline: bool = False

    def cached(self, source: Source, file: DataFile) -> Path | None:
        """The file in the standard Hugging Face cache, or None; makes no request."""
        try:
            from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415 # optional, and slow to import
        except ImportError:
            return None
        found = try_to_load_from_cache(
            source.repository, file.path, cache_dir=self.cache, revision=source.revision, repo_type="dataset"
        )
        return Path(found) if isinstance(found, str) else None

    def download(self, fetch: Fetch, file: DataFile, folder: Path, *, progress: Progress) -> Digests:
        """Download the file into `folder` and check it; a correct copy that is already there is kept."""
        if self.offline:
            raise _offline(fetch)
        with translated(fetch):
            etag = self._etag(fetch.source, file)
            path = folder / file.path
            is_there = path.is_file()
            if is_there and (digests := Digests.of(path)).match(etag, file.sha256):
                return digests
            # The second attempt bypasses the Hugging Face cache, which may hold a damaged copy.
            for is_forced in (is_there, True):
                self._download(fetch.source, file, folder, is_forced=is_forced, progress=progress)
                if (digests := Digests.of(path)).match(etag, file.sha256):
                    return digests
            path.unlink()
        raise DataChangedError(
            f"{file.path!r} of {fetch.source.repository} is not the file that is pinned: expected"
            f" {file.sha256 or etag}, found sha256 {digests.sha256}; {fetch.again} again,"
            " and if nothing changes, name a copy of your own with --data"
        )

    def listing(self, fetch: Fetch) -> tuple[str, tuple[str, ...]]:
        """The commit that the revision is now, and the files in it."""
        if self.offline:
            raise _offline(fetch)
        with translated(fetch):
            from huggingface_hub import HfApi  # noqa: PLC0415 # optional, and slow to import

            api = HfApi(endpoint=self.endpoint, token=self.token)
            found = api.dataset_info(fetch.source.repository, revision=fetch.source.revision or None)
            files = tuple(one.rfilename for one in found.siblings or ())
            return found.sha or fetch.source.revision, files

    def _etag(self, source: Source, file: DataFile) -> str | None:
        from huggingface_hub import get_hf_file_metadata, hf_hub_url  # noqa: PLC0415 # optional, slow to import

        url = hf_hub_url(
            source.repository,
            file.path,
            repo_type="dataset",
            revision=source.revision,
            endpoint=self.endpoint,
        )
        return get_hf_file_metadata(url, token=self.token, endpoint=self.endpoint).etag

    def _download(
        self, source: Source, file: DataFile, folder: Path, *, is_forced: bool, progress: Progress
    ) -> None:
        from huggingface_hub import hf_hub_download  # noqa: PLC0415 # optional, and slow to import

        hf_hub_download(
            source.repository,
            file.path,
            repo_type="dataset",
            revision=source.revision,
            local_dir=folder,
            cache_dir=self.cache,
            token=self.token,
            endpoint=self.endpoint,
            force_download=is_forced,
            tqdm_class=reporting_to(progress, file.path),
        )


@contextmanager
def translated(fetch: Fetch) -> Generator[None]:
    """Translate huggingface_hub's errors into ours."""
    try:
        from huggingface_hub import errors  # noqa: PLC0415 # optional, and slow to import
    except ImportError as error:
        raise MissingExtraError("fetching from the Hugging Face hub", "hub") from error
    # httpx's or httpx2's, by the version of huggingface_hub.
    http_error = errors.HTTPError  # pyright: ignore[reportPrivateImportUsage]
    try:
        yield
    except errors.OfflineModeIsEnabled as error:
        raise _offline(fetch) from error
    except (errors.RevisionNotFoundError, errors.RemoteEntryNotFoundError) as error:
        source = fetch.source
        where = f"{source.repository} at {source.revision}"
        raise DataMissingError(f"the hub has no such file in {where}: {_one_line(str(error))}") from error
    except errors.HfHubHTTPError as error:
        raise _http_failure(fetch, error, error.response.status_code) from error
    except (http_error, errors.XetDownloadError) as error:
        raise _unreachable(fetch, error) from error
    except OSError as error:
        if error.errno is not None:
            raise StoreError(f"{fetch.source.repository} could not be stored: {error}") from error
        raise _unreachable(fetch, error) from error


def _offline(fetch: Fetch) -> DataMissingError:
    return DataMissingError(
        f"{fetch.source.repository} is not on this machine and offline mode is on: unset HF_HUB_OFFLINE"
        f" and {fetch.again}{fetch.otherwise}"
    )


def _http_failure(fetch: Fetch, error: OSError, status: int) -> AssayError:
    if status in _REFUSED:
        return DataGatedError(
            f"the hub refuses {fetch.source.repository} (HTTP {status}): accept its terms at"
            f" {fetch.source.page}, set HF_TOKEN to a token of the same account, and {fetch.again} again"
        )
    return _unreachable(fetch, error)


def _unreachable(fetch: Fetch, error: Exception) -> DataMissingError:
    return DataMissingError(
        f"{fetch.source.repository} could not be fetched ({_one_line(str(error))}); check the network and"
        f" HF_ENDPOINT, then {fetch.again} again: files that are complete are kept"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
