"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.citations.check import check
from rag.citations.left_out import left_out
from rag.engines.openai.claims import read_claims
from rag.research.read_files import Rested, cited_from, passages_of, quoted, read_files_of
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import ReadFile, UnusableReplyError
from rag.research.roles import Role
from state.answer import Citation, Usage
from state.passages import Passage
from state.research_state import Artifact, Subtask
from state.usage import NO_USAGE, add_usage, add_usages

LONGEST_QUESTION = 1_000


def run_subtask(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """The finished artifact; `read` are the artifacts of the task's `read_files`.

    Raises:
        CragError: the engine or the index failed; nothing is returned, so nothing is quoted.
    """
    deps.budget.check()
    return _Subagent(task, deps.roles[task["role"]], read, deps).artifact()


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a role said of what it read; `quoted` as of `Composed`."""

    text: str
    usage: Usage
    warnings: Sequence[str] = ()
    quoted: bool = False


@dataclass(frozen=True)
class _Subagent:
    task: Subtask
    role: Role
    read: Sequence[Artifact]
    deps: ResearchDependencies

    @cached_property
    def passages(self) -> list[Passage]:
        return passages_of(self.read)

    @cached_property
    def files(self) -> list[ReadFile]:
        return read_files_of(self.read)

    def artifact(self) -> Artifact:
        return self._searched() if self.role.searches else self._composed()

    def _searched(self) -> Artifact:
        """By the corrective graph; what was read first makes the instruction a question."""
        draft = self._drafted()
        question = " ".join(draft.text.split())[:LONGEST_QUESTION] or self.task["instruction"]
        answer = self.deps.corrective(question)
        content, citations = answer["answer"], answer["citations"]
        if answer["status"] == "abstained":
            content = ""
        names = self.task.get("names", [])
        if names:
            content, citations = cited_from(names, content, citations)
        cut = self.deps.budget.ended and answer["status"] != "answered"
        # A document that is followed is asked on the chance; nobody asked for it.
        missed = not (content or cut or names)
        told_of = [*answer["warnings"], *left_out(answer["dropped"], answer["claims"])]
        made = self._made(content, citations, draft, told_of)
        return {
            **made,
            "instruction": question,
            "status": "cut" if cut else made["status"],
            "missing": [question] if missed else [],
            "nearest": answer["nearest"] if missed else [],
            "usage": add_usages([draft.usage, answer["usage"]]),
            "trace_id": answer["trace_id"],
        }

    def _composed(self) -> Artifact:
        draft = self._drafted()
        checked = self._checked(draft)
        told_of = checked.left_out
        if draft.text and not checked.citations and not draft.quoted:
            why = f"The quotes support nothing that the {self.role.name} wrote."
            draft = self._by_rules(why, draft.usage, draft.warnings)
            checked = self._checked(draft)
        content = self.role.kept(checked.text) if checked.citations else ""
        return self._made(content, checked.citations, draft, told_of)

    def _made(
        self, content: str, citations: list[Citation], draft: _Draft, told_of: Sequence[str]
    ) -> Artifact:
        return {
            "name": self.task["expected_artifact"],
            "subtask": self.task["id"],
            "role": self.role.name,
            "instruction": self.task["instruction"],
            "content": content,
            "status": "done" if content else "empty",
            "citations": citations if content else [],
            "missing": [],
            "warnings": [*draft.warnings, *told_of],
            "usage": draft.usage,
        }

    def _checked(self, draft: _Draft) -> Rested:
        if draft.quoted:
            return quoted(draft.text, self.read)
        claims, asked = read_claims(draft.text), self.task["instruction"]
        checked = check(claims, self.passages, self.deps.reader, question=asked)
        said = tuple(left_out(checked.dropped, checked.claims))
        return Rested(checked.text, checked.citations, said)

    def _drafted(self) -> _Draft:
        """The role's words on the passages; where they cannot be used, what was found."""
        if not self.passages:
            return _Draft("", NO_USAGE)
        asked, name = self.task["instruction"], self.role.name
        try:
            composed = self.deps.researcher.compose(self.role, asked, self.files, self.passages)
        except UnusableReplyError as error:
            usage = add_usage(NO_USAGE, name, error.spent.usage)
            return self._by_rules(error.message, usage, error.spent.warnings)
        usage = add_usage(NO_USAGE, name, composed.usage)
        return _Draft(composed.content, usage, composed.warnings, composed.quoted)

    def _by_rules(self, why: str, usage: Usage, warnings: Sequence[str]) -> _Draft:
        asked = self.task["instruction"]
        ruled = self.deps.rules.compose(self.role, asked, self.files, self.passages)
        said = f"{why} What was found is quoted instead."
        return _Draft(ruled.content, usage, [said, *warnings], ruled.quoted)
