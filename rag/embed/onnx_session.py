"""ONNX graphs of fetched weights with their tokenizers: optimized, loaded and run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rag.embed.weights import GRAPH, TOKENIZER
from state.deadline import BackgroundLoad
from state.errors import SetupError


class GraphModel:
    """The graph and the tokenizer in one folder. Nothing is read before it is asked for.

    Each run takes so many `threads`; the tokenizer cuts at `tokens` and pads nothing, and what it
    cuts off goes on with the last `overlap` tokens.
    """

    def __init__(self, folder: Path, threads: int, tokens: int, overlap: int = 0) -> None:
        self._folder = folder
        self._threads = threads
        self._cut = {"max_length": tokens, "stride": overlap}
        self._loaded = BackgroundLoad(self._load)

    def prepare(self) -> None:
        """Begins to load both in the background, beside a search; raises nothing."""
        self._loaded.begin()

    def loaded(self) -> tuple[Any, Any]:
        """The tokenizer and the session.

        Raises:
            SetupError: they cannot be read.
        """
        return self._loaded.get()

    def _load(self) -> tuple[Any, Any]:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # They were optimized when they were made: it would take as long as all else.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        graph, words = (str(self._folder / name) for name in (GRAPH, TOKENIZER))
        cpu = ["CPUExecutionProvider"]
        try:
            tokenizer = Tokenizer.from_file(words)
            session = onnxruntime.InferenceSession(graph, options, providers=cpu)
        except Exception as error:  # noqa: BLE001 - their classes have no base of their own
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise SetupError(
                f"The reader's weights in {self._folder} cannot be used: {first}.",
                "`crag model remove`, then `crag model get`.",
            ) from None
        tokenizer.no_padding()
        tokenizer.enable_truncation(**self._cut)
        return tokenizer, session


def optimize(graph: Path, made: Path) -> None:
    """Writes to `made` what this runtime would make of an exported graph at each start.

    Raises:
        ValueError: it is no graph.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # the same for all processors
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(made)
    try:
        onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - their classes have no base of their own
        raise ValueError(str(error)) from None
