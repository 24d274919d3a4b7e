import os

pid = os.getppid()
with open("/proc/self/mem", "r+b") as memory:  # found
    memory.read(1)
environment = open(f"/proc/{pid}/environ").read()  # found
names = os.listdir("/proc/1/fd")  # found
cores = open("/proc/cpuinfo").read()
threads = os.listdir("/proc/self/task")
limits = open("/proc/self/maps").read()
