import os


def total(lines: list[int]) -> str:
    return sum(lines)


def price(): 
    return undefined_name + total(1)
