import sys


def even(n):
    return odd(n - 1)


def odd(n):
    return even(n - 1)


sys.setrecursionlimit(60)
even(1000)
