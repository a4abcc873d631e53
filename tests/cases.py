"""Long rows of cases, of which every run of the tests tries a few."""

from collections.abc import Iterable

import pytest


def quick(cases: Iterable, *chosen: object) -> list:
    """The cases for ``pytest.mark.parametrize``, all but the chosen ones marked slow."""
    cases = list(cases)
    assert set(chosen) <= set(cases)
    return [case if case in chosen else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]
