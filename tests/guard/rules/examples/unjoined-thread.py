import threading


def run(x, y):
    threading.Thread(target=y.copy_, args=(x,)).start()  # found
