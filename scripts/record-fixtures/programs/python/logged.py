import logging

from shop import price

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s[%(process)d] %(message)s", level=logging.INFO)
log = logging.getLogger("shop.api")
log.info("started")
for line in ({"count": 1}, {"price": 2}):
    try:
        price(line)
    except KeyError:
        log.exception("request failed")
log.warning("done")
