def open(:
    pass
