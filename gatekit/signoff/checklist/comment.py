"""The text of a comment, whose Markdown is read once, whoever asks for what is in it."""

from dataclasses import dataclass
from functools import cached_property

from gatekit.commands import Command, may_command, read_commands
from gatekit.formats.markdown import Block, blocks, spoken_lines
from gatekit.signoff.checklist.form import Form, read_form
from gatekit.signoff.checklist.phrase import Opening, may_open, opening


@dataclass(frozen=True)
class CommentText:
    """As it was written. A long one takes a fifth of a second: ask for what is in it beside an event loop.

    It is not read at all where no word of it can be a command or open a sign-off.
    """

    text: str

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """All of them, and near misses, in their order."""
        return read_commands(spoken_lines(self._blocks)) if may_command(self.text) else ()

    @cached_property
    def may_open(self) -> bool:
        return may_open(self.text)

    @cached_property
    def opening(self) -> Opening:
        return opening(self._blocks) if self.may_open else Opening.NONE

    @cached_property
    def form(self) -> Form:
        return read_form(self._blocks)

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        return blocks(self.text)
