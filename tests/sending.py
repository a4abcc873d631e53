"""A device that sends, for tests in Blender: recordings that a process of its own plays."""

import socket
import subprocess
from pathlib import Path

import numpy as np
from footfall.blender_addon.preferences import worker_python
from footfall.core.pressure.database import build
from footfall.core.pressure.devices import plain
from footfall.core.pressure.motions import tread_in
from footfall.core.pressure.pad import record
from footfall.core.pressure.recording import Recording
from footfall.core.pressure.sensors import device_named

CLIPS = Path(__file__).resolve().parent / "clips"


def small_database(folder: Path) -> Path:
    """Of someone who stands and kicks."""
    path = folder / "small.npz"
    build([CLIPS / "stand.bvh", CLIPS / "kick.bvh"]).save(path)
    return path


def kicks(folder: Path, device: str, times: int = 1) -> Path:
    """What a device feels of one who kicks, so many times."""
    felt = record(tread_in(CLIPS / "kick.bvh").tread, device_named(device))
    path, step = folder / f"kicks {times}.csv", felt.times[-1] + felt.times[1]
    longer = (felt.times + step * np.arange(times)[:, None]).ravel()
    plain.write(path, Recording(felt.device, felt.layout, longer, np.tile(felt.pressures, (times, 1))))
    return path


def free_address(scheme: str = "udp") -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if scheme == "udp" else socket.SOCK_STREAM) as found:
        found.bind(("127.0.0.1", 0))
        return f"{scheme}://127.0.0.1:{found.getsockname()[1]}"


WHEN_HEARD = """
import socket, sys, time
from urllib.parse import urlsplit
from core.__main__ import main
place = urlsplit(sys.argv[sys.argv.index("--send") + 1])
while True:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if place.scheme == "udp" else socket.SOCK_STREAM) as trial:
        try:
            trial.bind((place.hostname, place.port))
        except OSError:
            break
    time.sleep(0.05)
sys.exit(main(sys.argv[1:]))
"""


def send(recording: Path, address: str, form: str = "json") -> subprocess.Popen:
    """Play a recording as a device would, as soon as somebody listens."""
    python = worker_python()
    return subprocess.Popen([python.executable, "-P", "-c", WHEN_HEARD, "pressure", str(recording), "--send", address, "--as", form],
                            env=python.environment(), stdout=subprocess.DEVNULL)
