"""Wait for a message without giving up the core: being woken takes longer, and never as long.

On a virtual machine a sleeping core wakes after some 50 to 150 us, which a clock would charge to
whoever was timed. Start at `until_readable`. Not here: what is read (`wire`).
"""

import select
import socket
import time


def until_readable(sock: socket.socket, limit_s: float) -> bool:
    """Spin until there is something to read or the peer is gone; False: the time is over."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    limit = time.monotonic() + limit_s
    while not poll.poll(0):
        if time.monotonic() > limit:
            return False
    return True
