"""Foreign packages that others import and no command uses: empty modules stand in their place.

LangGraph imports the clients of two cloud services, which takes longer than all the rest of it, and
Chroma gRPC. Whatever is asked of such a module is an empty class. It may be named where a class
may: in an annotation, as a base, in a check of a value, in `except`. No value is ever of it.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

ABSENT = (
    *("langsmith", "langgraph_sdk", "requests"),
    *("opentelemetry.exporter.otlp.proto.grpc", "opentelemetry.sdk"),  # of Chroma, as these
    *("chromadb.utils.embedding_functions", "overrides"),
    "pydantic.v1",  # LangChain asks whether a value is of its classes
)

ABSENT_ALONE = (
    *("openai.types", "openai.types.responses"),
    *("langchain_openai", "langchain_openai.chat_models"),
)
"""Packages that import all they hold: themselves only, not the modules below them."""

LEFT_OUT = ("openai._vendor.httpx_aiohttp", "httpx._main")
"""Modules that their importers do without where an extra is not installed: asynchronous clients,
which import all of aiohttp, and httpx's own command, which imports rich.
"""

_NAMED: dict[tuple[str, str], Any] = {
    # What every run calls, though nobody asks for tracing.
    ("langsmith.run_helpers", "get_tracing_context"): lambda: defaultdict(lambda: None),
    ("langsmith.run_helpers", "_set_tracing_context"): lambda _context: None,
    ("langsmith.utils", "tracing_is_enabled"): lambda: False,
    # By it Chroma has each method compared with those above it at every import.
    ("overrides", "override"): lambda method: method,
    ("overrides", "overrides"): lambda method: method,
    ("overrides", "EnforceOverrides"): object,
}
"""What is called or inherited of the absent packages, and so is no empty class."""


def leave_out_packages() -> None:
    """Called before anything foreign is imported that these packages or the variable concern.
    LangSmith's variables must be gone: a run that they ask to be traced is not.
    """
    # To multiply a query by a block of vectors takes less time than to start threads for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


class _Finder:
    """Finds the absent packages before the real ones are looked for; also their loader."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in LEFT_OUT:
            raise ModuleNotFoundError(f"{name} is left out", name=name)
        is_absent = name in ABSENT_ALONE or f"{name}.".startswith(tuple(f"{p}." for p in ABSENT))
        real = PathFinder.find_spec(name, path) if is_absent else None
        if real is None:
            return None
        spec = ModuleSpec(name, self, origin=real.origin)  # type: ignore[arg-type]
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: that is the point."""


_FINDER: Any = _Finder()


class _EmptyModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # Python asks whether it has one
        whole = f"{self.__name__}.{name}"
        found = _NAMED.get((self.__name__, name))
        if found is None:
            is_module = PathFinder.find_spec(whole, getattr(self, "__path__", ()))
            found = import_module(whole) if is_module else type(name, (_Absent,), {})
        setattr(self, name, found)
        return found


class _Absent(Exception):  # noqa: N818 - one only so that `except` takes it
    def __class_getitem__(cls, _of: Any) -> type:
        return cls
