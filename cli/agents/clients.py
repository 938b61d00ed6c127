"""Programs that run agents: where each keeps its MCP servers and its skills, in which words."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Client(StrEnum):
    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CODEX = "codex"
    CURSOR = "cursor"
    VSCODE = "vscode"


class SkillReader(StrEnum):
    """Those that read skills from a folder. Codex and VS Code both know `agents`, the folder of
    the open standard.
    """

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    AGENTS = "agents"


@dataclass(frozen=True, slots=True)
class ServerFile:
    """Where servers are listed: under `key`, in TOML where the name ends so, else in JSON.
    `typed`: an entry says what it is.
    """

    path: Path
    key: str
    typed: bool = False

    @property
    def is_toml(self) -> bool:
        return self.path.suffix == ".toml"


def server_file(client: Client) -> ServerFile:
    home = Path.home()
    match client:
        case Client.CLAUDE_CODE:
            return ServerFile(home / ".claude.json", "mcpServers", typed=True)
        case Client.CLAUDE_DESKTOP:
            return ServerFile(_data("Claude") / "claude_desktop_config.json", "mcpServers")
        case Client.CODEX:
            folder = Path(os.environ.get("CODEX_HOME") or home / ".codex")
            return ServerFile(folder / "config.toml", "mcp_servers")
        case Client.CURSOR:
            return ServerFile(home / ".cursor" / "mcp.json", "mcpServers")
        case Client.VSCODE:
            return ServerFile(_data("Code") / "User" / "mcp.json", "servers", typed=True)


def skill_file(reader: SkillReader) -> Path:
    folders = {
        SkillReader.CLAUDE_CODE: ".claude",
        SkillReader.CURSOR: ".cursor",
        SkillReader.AGENTS: ".agents",
    }
    return Path.home() / folders[reader] / "skills" / "crag" / "SKILL.md"


def _data(name: str) -> Path:
    """Where desktop programs keep what is the user's."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / name
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / name
