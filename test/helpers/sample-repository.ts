import { createGitRepository, type TestRepository } from './git-repository.ts'

/** A small Python shop whose `total` divides by the number of items. */
const SHOP_FILES = {
  'src/shop/__init__.py': '',
  'src/shop/cart.py': [
    'from shop.prices import average',
    '',
    '',
    'class Cart:',
    '    def __init__(self, items):',
    '        self.items = items',
    '',
    '    def summary(self):',
    '        return {"average": average(self.items)}',
    '',
  ].join('\n'),
  'src/shop/prices.py': [
    '"""Prices are whole cents."""',
    '',
    '',
    'def average(items):',
    '    total = sum(item["price"] for item in items)',
    '    return total / len(items)',
    '',
  ].join('\n'),
  'src/shop/report.py': 'def render(summary):\n    return "average: %s" % summary["average"]\n',
  'README.md': '# Shop\n\nA cart with an average price.\n',
  '.env': 'SECRET_KEY=hunter2\n',
}

export const SHOP_TRACE = [
  'Traceback (most recent call last):',
  '  File "/app/shop/cart.py", line 9, in summary',
  '    return {"average": average(self.items)}',
  '  File "/app/shop/prices.py", line 6, in average',
  '    return total / len(items)',
  'ZeroDivisionError: division by zero',
].join('\n')

export function createShop(dir: string): TestRepository {
  return createGitRepository(dir, { files: SHOP_FILES })
}
