"""The seam where whatever a parser raises becomes a DocumentError with a short, true reason."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from rag.documents.cleaning import one_line
from rag.documents.limits import Deadline, TimeUpError
from state.errors import DocumentError


@contextmanager
def parsing(what: str, deadline: Deadline) -> Iterator[None]:
    """Runs foreign code on a file that is `what` (a format's name), as one step of `deadline`."""
    try:
        with deadline.running():
            yield
    except (DocumentError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except TimeUpError:
        raise DocumentError("takes too long to read") from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except MemoryError:
        raise DocumentError("needs more memory than there is") from None
    except BaseException as error:
        # Parsers raise anything at all on damaged input; what panics in Rust is no Exception, and
        # an OSError without a number is none of the system's.
        detail = one_line(str(error)) or type(error).__name__
        if isinstance(error, OSError) and error.errno == errno.EINVAL:
            detail = "it points outside itself"
        elif isinstance(error, OSError) and error.errno is not None:
            raise DocumentError(f"cannot be read: {error.strerror or detail}") from error
        raise DocumentError(f"damaged {what} file: {detail}") from error
