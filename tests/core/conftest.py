"""What several tests of the core share."""

import pytest

from core.physics import ENGINES, World, world_class


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    """The name of each engine in turn."""
    return request.param


@pytest.fixture
def make_world(engine) -> type[World]:
    """The World of each engine in turn."""
    return world_class(engine)
