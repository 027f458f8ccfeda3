"""The environments in Gymnasium's registry.

Gymnasium and numpy take longer to load than all of Bellmino, so they are not loaded here: whoever imports Gymnasium later
finds the environments registered.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

#: The ids and the arguments behind them.
ENVIRONMENTS: dict[str, dict[str, object]] = {
    **{f"Bellmino/{name.capitalize()}-v0": {"game": name} for name in ("baby", "mini", "small", "classic", "learner")},
    **{f"Bellmino/{name.capitalize()}-v0": {"game": name} for name in ("sprint", "blitz")},
    **{f"Bellmino/{name.capitalize()}Keys-v0": {"game": name, "keys": True} for name in ("sprint", "blitz")},
    "Bellmino/Placement-v0": {"game": "baby"},
}


def register_with_gymnasium() -> None:
    """Registers the environments, now or as soon as Gymnasium is imported."""
    if "gymnasium" in sys.modules:
        _register()
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def _register() -> None:
    from gymnasium.envs.registration import register, registry

    for name, kwargs in ENVIRONMENTS.items():
        if name not in registry:
            register(
                id=name,
                entry_point="bellmino.envs:BellminoEnv",
                vector_entry_point="bellmino.envs:BellminoVectorEnv",
                kwargs=kwargs,
            )


class _WhenImported(MetaPathFinder):
    """Finds nothing itself, but sees Gymnasium being imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader)
        return spec


class _Registering(Loader):
    """Loads a module as its own loader does, then registers the environments."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _register()
