import type { TestFiles } from './git-repository.ts'

/**
 * A shop whose total fails in `money.py`, while the cause is in `shelf.py`, three calls away: `total` → `prices_of` →
 * `shelf_price` → `read_shelf`. None of the files between them is in the trace.
 */
export const FAR_CAUSE: TestFiles = {
  'app/main.py': [
    'from app.money import add_up',
    'from app.basket import prices_of',
    '',
    '',
    'def checkout(basket):',
    '    prices = prices_of(basket)',
    '    return add_up(prices)',
    '',
  ].join('\n'),
  'app/money.py': [
    'def add_up(amounts):',
    '    total = 0',
    '    for amount in amounts:',
    '        total += amount',
    '    return total',
    '',
  ].join('\n'),
  'app/basket.py': [
    'from store.pricing import shelf_price',
    '',
    '',
    'def prices_of(basket):',
    '    return [shelf_price(code) for code in basket]',
    '',
  ].join('\n'),
  'store/pricing.py': [
    'from store.shelf import read_shelf',
    '',
    '',
    'def shelf_price(code):',
    '    entry = read_shelf(code)',
    "    return entry['price']",
    '',
  ].join('\n'),
  'store/shelf.py': [
    'SHELF = {}',
    '',
    '',
    'def read_shelf(code):',
    '    # an article that nobody counted has no price yet',
    "    return SHELF.get(code, {'price': None})",
    '',
  ].join('\n'),
  // enough others, so that the context of a short answer does not hold all there is
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `lib/part_${i}.py`,
      `def part_${i}(value):\n    """Part ${i}."""\n    return value + ${i}\n`,
    ]),
  ),
}

export const FAR_TRACE = [
  'Traceback (most recent call last):',
  '  File "/srv/app/main.py", line 7, in checkout',
  '    return add_up(prices)',
  '  File "/srv/app/money.py", line 4, in add_up',
  '    total += amount',
  "TypeError: unsupported operand type(s) for +=: 'int' and 'NoneType'",
].join('\n')
