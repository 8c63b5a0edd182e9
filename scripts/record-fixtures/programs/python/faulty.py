import faulthandler
import sys
import threading

faulthandler.enable()


def wait(event):
    event.wait()


def crash(depth):
    if depth:
        return crash(depth - 1)
    sys.stderr.flush()
    faulthandler._sigsegv()


threading.Thread(target=wait, args=(threading.Event(),), daemon=True).start()
crash(2)
