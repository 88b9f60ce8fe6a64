"""The parts of a store under the names of what they keep."""

from typing import Self


class Topics:
    """One object as every store of `Stores`."""

    @property
    def runs(self) -> Self:
        return self

    @property
    def shards(self) -> Self:
        return self

    @property
    def attempts(self) -> Self:
        return self

    @property
    def events(self) -> Self:
        return self

    @property
    def datasets(self) -> Self:
        return self

    @property
    def identity(self) -> Self:
        return self

    @property
    def fleet(self) -> Self:
        return self

    @property
    def reviews(self) -> Self:
        return self

    @property
    def quotas(self) -> Self:
        return self

    @property
    def registry(self) -> Self:
        return self

    @property
    def secrets(self) -> Self:
        return self
