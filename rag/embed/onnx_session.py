"""A graph of fetched weights with its tokenizer, as both are made and run here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rag.embed.weights import GRAPH, TOKENIZER
from state.errors import SetupError


def open_graph(folder: Path, threads: int) -> tuple[Any, Any]:
    """The tokenizer, which pads nothing, and the session, each of whose runs takes so many threads.

    Raises:
        SetupError: they cannot be read.
    """
    import onnxruntime  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # They were optimized when they were made: it would take as long as all else.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph, words = (str(folder / name) for name in (GRAPH, TOKENIZER))
    try:
        tokenizer = Tokenizer.from_file(words)
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - their classes have no base of their own
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SetupError(
            f"The reader's weights in {folder} cannot be used: {first}.",
            "`crag model remove`, then `crag model get`.",
        ) from None
    tokenizer.no_padding()
    return tokenizer, session


def optimize(graph: Path, made: Path) -> None:
    """What another tool exported, as this runtime would make it anew at each start.

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
