"""Makes sockets in this container's network namespace, for the runner, which checks the server's answers through them.

    sockets.py PATH

PATH is a Unix socket for the runner alone. Each byte that it sends is answered with sockets that are not connected.
"""

import socket
import sys

SOCKETS = 16

with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    while True:
        runner, _ = listener.accept()
        with runner:
            while runner.recv(1):
                made = [socket.socket() for _ in range(SOCKETS)]
                socket.send_fds(runner, [b"+"], [each.fileno() for each in made])
                for each in made:
                    each.close()
