"""The serving guide as it is written, run: ``python -m benchmarks.serving``.

Takes the proxy's file and the unit of systemd from ``docs/serving.md``, changes ports,
paths and the host's name to those of a folder of its own, makes a certificate and a
password by the guide's commands, and starts two servers behind nginx on 127.0.0.1. Then
pages are opened through TLS, by password and websocket. Exits with 1 if one of the
claims does not hold.

Wants openssl and Debian's nginx: ``--nginx FILE`` names one that is not installed, and
``apt-get download nginx && dpkg -x nginx_*.deb .`` gives one without root.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sessions import (
    HOST,
    SECONDS,
    Served,
    Visitor,
    await_server,
    free_port,
    start,
)
from benchmarks.timing import table

GUIDE = Path(__file__).parents[1] / "docs" / "serving.md"
PASSWORD = "of the class"

_AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/swviz.conf;
}}
"""
"""What Debian's own file has around those of ``conf.d``."""


def block(language: str, number: int = 0) -> str:
    """Return a listing of the guide."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.S)[number]


def make_certificate(folder: Path) -> None:
    """Run the guide's commands, for this machine and a known password."""
    [commands] = [
        text for text in re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)
        if "openssl req" in text
    ]  # fmt: skip
    commands = (
        commands.replace("/etc/swviz", str(folder))
        .replace("DNS:YOUR.HOST", f"IP:{HOST}")
        .replace("YOUR.HOST", HOST)
        .replace("passwd -apr1", f"passwd -apr1 '{PASSWORD}'")
    )
    subprocess.run(["sh", "-ec", commands], check=True, capture_output=True)


def write_proxy(folder: Path, port: int, servers: list[int]) -> Path:
    """Write the guide's file for nginx with our ports and paths."""
    text = block("nginx").replace("/etc/swviz", str(folder))
    text = text.replace("listen 443 ssl", f"listen {HOST}:{port} ssl")
    text = text.replace("YOUR.HOST", HOST)
    for theirs, ours in zip((5006, 5007), servers, strict=True):
        text = text.replace(f"{HOST}:{theirs}", f"{HOST}:{ours}")
    (folder / "swviz.conf").write_text(text)
    around = folder / "nginx.conf"
    around.write_text(_AROUND.format(folder=folder))
    return around


def check_unit(folder: Path) -> str:
    """Have systemd read the guide's unit, with a program that is there."""
    if shutil.which("systemd-analyze") is None:
        return "not tried: no systemd here"
    unit = folder / "swviz@5006.service"
    text = block("ini").replace("/opt/swviz/bin/swviz", sys.executable)
    unit.write_text(text)
    answer = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True
    )
    said = [line for line in answer.stderr.splitlines() if "swviz" in line]
    return "good" if not said else "; ".join(said)


async def visit(port: int, folder: Path) -> list[tuple[str, object, bool]]:
    """Open pages through the proxy; return what was found, and whether it is good."""
    word = base64.b64encode(f"class:{PASSWORD}".encode()).decode()
    rows: list[tuple[str, object, bool]] = []
    seen = set()
    several = [
        Visitor(
            port,
            "?tab=Slices&M=17",
            "https",
            str(folder / "certificate.pem"),
            {"Authorization": f"Basic {word}"},
        )
        for _ in range(8)
    ]
    began = time.monotonic()
    await asyncio.gather(*(one.open() for one in several))
    rows.append(("8 pages live after", f"{time.monotonic() - began:.1f} s", True))
    for one in several:
        seen.add(one.headers.get("Cookie", ""))
        await one.change(one.find(label="M"), "value", 23)
        await one.until(lambda one: "M=23&" in one.address)
    rows.append(("websockets through TLS answer", "8 of 8", True))
    rows.append(("processes that answered", len(seen), len(seen) == 2))
    for one in several:
        one.close()
    return rows


def ask(port: int, folder: Path, path: str, password: str | None) -> int:
    """Return the status of a request."""
    trust = ssl.create_default_context(cafile=str(folder / "certificate.pem"))
    request = urllib.request.Request(f"https://{HOST}:{port}{path}")
    if password is not None:
        word = base64.b64encode(f"class:{password}".encode()).decode()
        request.add_header("Authorization", f"Basic {word}")
    try:
        with urllib.request.urlopen(request, context=trust, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def await_proxy(port: int, proxy: subprocess.Popen[str]) -> None:
    """Return when nginx takes connections; say what it says if it has ended."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if proxy.poll() is not None:
            said = proxy.stderr.read() if proxy.stderr else ""
            raise RuntimeError(f"nginx has ended: {said}")
        try:
            socket.create_connection((HOST, port), timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("nginx does not answer")


def run(nginx: str, folder: Path) -> list[tuple[str, object, bool]]:
    """Serve and visit; return what was found, and whether it is good."""
    make_certificate(folder)
    port, servers = free_port(), [free_port(), free_port()]
    rows: list[tuple[str, object, bool]] = []
    with ExitStack() as stack:
        for number in servers:
            command = [sys.executable, "-m", "swviz", "--no-browser"]
            command += ["--port", str(number)]
            command += ["--allow-websocket-origin", f"{HOST}:{port}"]
            log = folder / f"{number}.log"
            process = start(command, stack.enter_context(log.open("w")), {})
            stack.callback(process.wait)
            stack.callback(process.terminate)
            await_server(number, process)
        proxy = subprocess.Popen(
            [nginx, "-c", write_proxy(folder, port, servers), "-p", folder],
            stderr=subprocess.PIPE,
            text=True,
        )
        stack.callback(proxy.wait)
        stack.callback(proxy.terminate)
        await_proxy(port, proxy)
        for path, password, expected in (
            ("/app", None, 401),
            ("/app", "wrong", 401),
            ("/liveness", PASSWORD, 200),
            ("/status", PASSWORD, 403),
        ):
            found = ask(port, folder, path, password)
            who = {None: "nobody", PASSWORD: "the class"}.get(password, "a stranger")
            rows.append((f"{path} for {who}", found, found == expected))
        rows += asyncio.run(visit(port, folder))
        counts = [Served(process, number, log).status() for number in servers]
        made = sum(count["sessions"] for count in counts)
        # A page that is made twice would be one more.
        rows.append(("sessions made for 8 pages", made, made <= 8))
    said = check_unit(folder)
    rows.append(("unit of systemd", said, said.startswith(("good", "not tried"))))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nginx", default=shutil.which("nginx"))
    options = parser.parse_args()
    if options.nginx is None:
        print("There is no nginx on this machine; see --help.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        # Workers of nginx are nobody's, and have to read here.
        Path(folder).chmod(0o755)
        rows = run(options.nginx, Path(folder))
    print(table(["the guide, run", "found", "good"], rows))
    return 0 if all(good for *_, good in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
