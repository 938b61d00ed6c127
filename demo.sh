#!/bin/sh
# Ingest the sample corpus into .demo/, ask it a question, and show the loop's trace.
set -eu
crag="$1/crag"
CRAG_HOME="$PWD/.demo"
CRAG_ENGINE=local
export CRAG_HOME CRAG_ENGINE
run() {
    printf '\n$ crag'
    printf ' "%s"' "$@" | sed 's/"\([A-Za-z0-9_.\/-]*\)"/\1/g'
    printf '\n'
    "$crag" "$@" </dev/null
}
run ingest sample_corpus
run ask "Who is the treasuer?" --k 3 --trace
run ask "Who is the mayor of Tokyo?" --ok-abstain
printf '\nYour own documents: %s ingest FOLDER, then %s ask "…". The demonstration lies in .demo.\n' "$crag" "$crag"
