import os
import socket

os.write(3, b"done")  # found
speaker = socket.socket(fileno=3)  # found
with open(4, "wb") as pipe:  # found
    pipe.write(b"passed")
os.dup2(1, 3)  # found
os.write(1, b"progress\n")
reading, writing = os.pipe()
os.write(writing, b"to my own helper")
