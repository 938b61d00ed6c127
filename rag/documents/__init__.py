"""Files to text: `open_document` for a stream of parts, `read_document` for all of it."""
