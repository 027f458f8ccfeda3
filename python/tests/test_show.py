"""A running game in the browser: what its page hears, and that nobody waits for it. `web/tests/shown.test.js` looks at it."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gymnasium
import pytest

import bellmino  # noqa: F401

PATIENCE = 20.0


class Page:
    """A page without a browser: one WebSocket with JSON in text frames."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        port = parts.port
        assert parts.hostname == "127.0.0.1" and port is not None
        cookie = f"bellmino-{port}={parts.query.removeprefix('token=')}"
        self.port = port
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET /socket HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Cookie: {cookie}", "", "",
        ]  # fmt: skip
        self.socket.sendall("\r\n".join(lines).encode())
        self.file = self.socket.makefile("rb")
        assert b"101" in self.file.readline()
        while self.file.readline().strip():
            pass

    def tell(self, **message: Any) -> None:
        data = json.dumps(message).encode()
        assert len(data) < 126
        # Masked with nothing.
        self.socket.sendall(bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data)

    def hear(self) -> dict[str, Any] | None:
        """The next message; `None` when the connection has ended."""
        while head := self.file.read(2):
            length = head[1] & 127
            if length == 126:
                (length,) = struct.unpack(">H", self.file.read(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.file.read(8))
            data = self.file.read(length)
            if head[0] & 15 == 1:
                heard: dict[str, Any] = json.loads(data)
                return heard
            if head[0] & 15 == 8:
                return None
        return None

    def until(self, wanted: Any) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            heard = self.hear()
            assert heard is not None, "the connection has ended"
            if wanted(heard):
                return heard
        raise AssertionError("it was not heard")

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def make(name: str, **options: Any) -> Any:
    return gymnasium.make(name, render_mode="human", **options).unwrapped


def fact(heard: dict[str, Any], name: str) -> str | None:
    return dict(heard.get("facts", [])).get(name)


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


def test_a_page_sees_the_running_game(capfd: pytest.CaptureFixture[str]) -> None:
    env = make("Bellmino/Baby-v0", oracle="discounted:0.9")
    assert env.url is None
    seen, info = env.reset(seed=7)
    assert env.url in capfd.readouterr().err, "the address is told"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(env.url.split("?")[0], timeout=PATIENCE)
    page = Page(env.url.split("#")[0])
    page.tell(id=1, do="shown")
    assert page.until(lambda heard: heard.get("re") == 1)["ok"][0]["number"] == 1
    page.tell(id=2, do="shown-open", number=1)
    heard = [page.until(lambda heard: "re" in heard or "board" in heard) for _ in range(2)]
    answer = next(one["ok"] for one in heard if "re" in one)
    assert (answer["width"], answer["height"]) == (4, 4)
    assert [piece["name"] for piece in answer["pieces"]] == env.core.game.pieces
    first = next(one for one in heard if "board" in one)
    assert first["board"] == [] and first["queue"] == [env.core.game.pieces[seen["piece"]]]
    rows, ended, steps = set(), False, 0
    while not ended:
        piece = env.core.game.pieces[seen["piece"]]
        seen, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        steps += 1
        shown = page.until(lambda heard, steps=steps: fact(heard, "Pieces") == str(steps))
        filled = ["".join("#" if cell else "." for cell in row) for row in seen["board"][::-1]]
        told = ["".join("." if cell == "." else "#" for cell in row) for row in shown["board"]]
        assert told == [row for row in filled if "#" in row]
        assert fact(shown, "Regret") == f"{info['regret']:.6g}" and fact(shown, "Score") == f"{info['score']:g}"
        assert fact(shown, "Seed, game") == "7, 0"
        assert "G" not in "".join(shown["board"]), "every cell has the colour of its piece"
        if steps == 1:
            assert set("".join(shown["board"])) - {"."} == {piece[0]}
        rows.update(shown["board"])
    assert shown["note"] == "The game is lost." and len(rows) > 3
    env.close()
    assert env.url is None
    while page.hear() is not None:
        pass
    page.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", page.port), PATIENCE)


def test_games_share_one_lab_and_it_ends_with_the_last(capfd: pytest.CaptureFixture[str]) -> None:
    folders = set(Path(tempfile.gettempdir()).glob("bellmino-*"))
    envs = [make(name) for name in ("Bellmino/Sprint-v0", "Bellmino/SprintKeys-v0", "Bellmino/Small-v0")]
    for env in envs:
        env.reset(seed=1)
    assert capfd.readouterr().err.count("http://") == 1, "told once"
    page = Page(envs[0].url.split("#")[0])
    assert [env.url.split("#")[1] for env in envs] == ["/shown/1", "/shown/2", "/shown/3"]
    page.tell(id=1, do="shown-open", number=2)
    first = page.until(lambda heard: "board" in heard)
    assert len(first["active"]["cells"]) == 4 and first["active"]["colour"] == first["queue"][0]
    envs[0].close()
    page.tell(id=2, do="shown")
    listed = page.until(lambda heard: heard.get("re") == 2)["ok"]
    assert [one["number"] for one in listed] == [2, 3]
    page.tell(id=3, do="shown-open", number=1)
    assert "no longer" in page.until(lambda heard: heard.get("re") == 3)["error"]
    for env in envs:
        env.close()
        env.close()
    assert page.hear() is None or page.hear() is None
    page.close()
    assert set(Path(tempfile.gettempdir()).glob("bellmino-*")) == folders, "nothing is left"
    # An environment may be shown again after it was closed.
    envs[2].reset(seed=1)
    assert envs[2].url is not None
    envs[2].close()


def test_nobody_waits_for_a_page_that_does_not_read() -> None:
    env = make("Bellmino/Classic-v0")
    _, info = env.reset(seed=1)
    page = Page(env.url.split("#")[0])
    page.tell(id=1, do="shown-open", number=1)
    page.until(lambda heard: "board" in heard)
    for _ in range(3000):
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        if ended:
            _, info = env.reset()
    env.close()
    page.close()


def test_a_program_that_forgets_to_close_leaves_nothing_behind(tmp_path: Path) -> None:
    code = (
        "import gymnasium, bellmino, os\n"
        "env = gymnasium.make('Bellmino/Baby-v0', render_mode='human')\n"
        "env.reset(seed=1)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    env.reset(seed=2)\n"
        "    os._exit(0 if '/shown/1' in env.unwrapped.url else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and run.stderr.count("is shown at http://127.0.0.1:") == 2, run.stderr
    # The child ends without ceremony and cannot tidy up.
    assert len(list(tmp_path.iterdir())) <= 1
