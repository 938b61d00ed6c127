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
    except DocumentError:
        raise
    except TimeUpError:
        raise DocumentError("takes too long to read") from None
    except RecursionError:
        raise DocumentError("nested too deeply") from None
    except MemoryError:
        raise DocumentError("needs more memory than there is") from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise DocumentError(f"damaged {what} file: it points outside itself") from error
        reason = error.strerror or one_line(str(error))
        raise DocumentError(f"cannot be read: {reason}") from error
    except Exception as error:
        # Parsers raise anything at all on damaged input.
        detail = one_line(str(error)) or type(error).__name__
        raise DocumentError(f"damaged {what} file: {detail}") from error
