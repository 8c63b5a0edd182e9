def total(
    a,
    b,
    c,
):
    return a + b + c


def main():
    return total(
        1,
        2,
        None,
    ) + total(
        a=1,
        b=2,
        c=3,
    )


main()
