import os
import signal
import subprocess

os.kill(os.getppid(), signal.SIGSTOP)  # found
os.kill(-1, signal.SIGKILL)  # found
os.killpg(1, signal.SIGSTOP)  # found
os.kill(os.getpid(), signal.SIGUSR1)
child = subprocess.Popen(["true"])
os.kill(child.pid, signal.SIGTERM)
