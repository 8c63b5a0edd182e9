import warnings


def old(name):
    warnings.warn("%s is old, use new" % name, DeprecationWarning, stacklevel=2)
    warnings.warn("prices are rounded")


warnings.simplefilter("always")
old("pay")
