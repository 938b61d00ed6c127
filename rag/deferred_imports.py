"""Foreign packages that others import and hardly ever use, imported when something uses them.

LangGraph imports the clients of two cloud services and an HTTP library, which takes longer than
all the rest of it, and Chroma gRPC; no question and no ingest needs them. Here such a package is
found as modules whose names stand for the real ones: calling one, subclassing it, asking it for
instances or reading an attribute of it imports the real package, and from then on there is no
other. What cannot be waited for so is a field of a Pydantic model, and `except` with a name that
was taken from a package before it was used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Union

DEFERRED = (
    *("langsmith", "langgraph_sdk", "requests", "langchain_protocol"),
    *("opentelemetry.exporter.otlp.proto.grpc", "opentelemetry.sdk"),  # of Chroma, as these
    *("jsonschema", "yaml", "httpx", "overrides"),
    "pydantic.v1",  # of LangChain
    "langchain_core.tracers._compat",  # it looks into a class of langsmith as it is imported
    *("langchain_core.tracers.event_stream", "langchain_core.tracers.log_stream"),
    "chromadb.utils.embedding_functions",
    *("openai.lib.streaming.chat", "openai.lib._bedrock_auth"),
    *("openai.lib.bedrock", "openai.providers", "openai._module_client"),
)

DEFERRED_ALONE = (
    *("openai.types", "openai.types.responses"),
    *("langchain_openai", "langchain_openai.chat_models"),
)
"""Packages that import all they hold: themselves only, not the modules below them."""

LEFT_OUT = ("openai._vendor.httpx_aiohttp", "httpx._main")
"""Modules that their importers do without where an extra is not installed: asynchronous clients,
which import all of aiohttp, and httpx's own command, which imports rich.
"""

_NO_CONTEXT = dict.fromkeys(
    (
        *("parent", "project_name", "address", "tags", "metadata", "enabled", "client"),
        *("replicas", "distributed_parent_id"),
    )
)

WITHOUT_TRACING: dict[tuple[str, str], Callable[..., Any]] = {
    ("langsmith.run_helpers", "get_tracing_context"): lambda _context=None: dict(_NO_CONTEXT),
    ("langsmith.run_helpers", "_set_tracing_context"): lambda _context=None: None,
    ("langsmith.utils", "tracing_is_enabled"): lambda _context=None: False,
    ("langsmith", "tracing_context"): lambda **_values: nullcontext(),
}
"""What stands for langsmith's functions that every run calls, while nobody asks for tracing."""

IN_PLACE: dict[tuple[str, str], Any] = {
    ("overrides", "override"): lambda method: method,
    ("overrides", "overrides"): lambda method: method,
    ("overrides", "EnforceOverrides"): object,
    ("pydantic.v1", "BaseModel"): type("BaseModel", (), {}),
    ("pydantic.v1", "ValidationError"): type("ValidationError", (Exception,), {}),
}
"""By `overrides` Chroma has each method compared with those above it at every import, which takes
longer than the rest of it. LangChain asks only whether a value is of these classes of
`pydantic.v1`, which none is here.
"""
_STANDING_IN = {**WITHOUT_TRACING, **IN_PLACE}


def defer_imports() -> None:
    """Defer what this process has not imported yet. LangSmith's variables must be gone: a run that
    they ask to be traced is not.
    """
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)


def forget(package: str) -> None:
    """Takes an unused package out of `sys.modules`, where others look whether it is imported."""
    if isinstance(sys.modules.get(package), _DeferredModule):
        del sys.modules[package]


class _Finder:
    """Finds the deferred packages before the real ones are looked for; also their loader."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in LEFT_OUT:
            raise ModuleNotFoundError(f"{name} is left out", name=name)
        package = _package(name)
        if package is None or package in self._used:
            return None
        real = PathFinder.find_spec(name, path)
        if real is None:
            return None
        spec = ModuleSpec(name, self, origin=real.origin)  # type: ignore[arg-type]
        spec.has_location = real.has_location
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _DeferredModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: that is the point."""

    def real(self, module: str) -> ModuleType:
        """Imports the real module; the first of a package puts real values for all its names."""
        package = _package(module)
        if package is None or package in self._used:
            forget(module)  # another thread is just about to
            return import_module(module)
        self._used.add(package)
        for name, found in list(sys.modules.items()):
            if isinstance(found, _DeferredModule) and _package(name) == package:
                del sys.modules[name]
        imported = import_module(module)
        for found in list(sys.modules.values()):
            for name, value in list(vars(found).items()):
                if type(value) is _DeferredName and _package(value.module) == package:
                    setattr(found, name, value.real())
        return imported


_FINDER: Any = _Finder()


class _DeferredModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        whole = f"{self.__name__}.{name}"
        real = sys.modules.get(self.__name__)
        if real is not None and not isinstance(real, _DeferredModule):
            return getattr(real, name)
        if any(module == whole for module, _ in WITHOUT_TRACING):
            return import_module(whole)
        if found := _STANDING_IN.get((self.__name__, name)):
            return found
        if sys.exc_info()[0] is not None:  # `except` takes no name that stands for a class
            return getattr(_FINDER.real(self.__name__), name)
        if name in ("__path__", "__file__", "__cached__", "__warningregistry__"):
            raise AttributeError(name)  # Python asks whether it has one
        if name.startswith("__"):  # a version: no class or function, which a name can stand for
            return getattr(_FINDER.real(self.__name__), name)
        return _DeferredName(self.__name__, name)


class _DeferredName:
    """A class or function of a deferred module."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self._name = name

    def real(self) -> Any:
        return getattr(_FINDER.real(self.module), self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real(), name)

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.real()(*values, **named)

    def __getitem__(self, item: Any) -> Any:
        return self.real()[item]

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self.real())

    def __subclasscheck__(self, value: type) -> bool:
        return issubclass(value, self.real())

    def __mro_entries__(self, _bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.real(),)

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007 - the operator itself

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007 - same


def _package(module: str) -> str | None:
    if module in DEFERRED_ALONE:
        return module
    return next((each for each in DEFERRED if f"{module}.".startswith(f"{each}.")), None)
