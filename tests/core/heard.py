"""What a listener makes of a recording that is sent."""

import threading
import time

from core.pressure.send import Sender, play
from core.pressure.stream import Listener


def heard_of(recording, scheme, form, speed=100.0):
    """The recording as it was heard; and what the listener counted."""
    with Listener(f"{scheme}://127.0.0.1:0", patience=1.0) as listener, Sender(f"{scheme}://127.0.0.1:{listener.port}") as sender:
        thread = threading.Thread(target=play, args=(recording, sender, form, speed))
        thread.start()
        until = time.monotonic() + 30.0
        while not listener.frames.ended and time.monotonic() < until:
            listener.poll()
            time.sleep(0.001)
        thread.join()
        listener.poll()
        return listener.frames.recording(), listener.counts
