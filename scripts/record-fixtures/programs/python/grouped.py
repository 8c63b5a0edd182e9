import asyncio

from shop import price


async def pay(line):
    try:
        return price(line)
    except KeyError as error:
        raise ValueError("no price") from error


async def main():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(pay({"count": 1}))
        tasks.create_task(nested())


async def nested():
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(pay({"price": 1}))


try:
    asyncio.run(main())
except ExceptionGroup as error:
    error.add_note("while paying")
    raise RuntimeError("shop is closed") from error
