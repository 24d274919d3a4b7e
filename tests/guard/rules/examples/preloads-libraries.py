import os
import subprocess

os.environ["LD_PRELOAD"] = "./clock.so"  # found
os.putenv("LD_PRELOAD", "./clock.so")  # found
subprocess.run(["true"], env={"LD_AUDIT": "./clock.so"})  # found
before = os.environ.get("LD_PRELOAD", "")
os.environ["LD_LIBRARY_PATH"] = "/usr/lib"
