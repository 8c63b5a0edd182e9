import { searchCode } from '../../../src/resolver/search/search.ts'
import type { SearchReader } from '../../../src/resolver/search/lists.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'

export const FILES = {
  'src/shop/cart.py':
    'class Cart:\n    def total(self):\n        return sum(self.prices)\n\n    def is_empty(self):\n' +
    '        return not self.prices\n',
  'src/shop/price_list.py':
    'def parse_price(text, fallback=None):\n    """Reads a price."""\n    if text == "":\n' +
    '        return fallback\n    return int(text)\n',
  'src/shop/report.py':
    'from shop.price_list import parse_price\n\ndef render(rows):\n    return [parse_price(row, 0) for row in rows]\n',
  'tests/test_price_list.py':
    'from shop.price_list import parse_price\n\ndef test_parse_price():\n    assert parse_price("5") == 5\n' +
    '    assert parse_price("", 1) == 1\n',
  'docs/price.md': 'How a price is parsed.\n',
}

export const ask = async (
  text: string,
  {
    files = FILES,
    limit = 10,
    demotesTests = true,
    size = 500,
    reader = memoryCodeReader(files, { size, overlap: 0 }),
  }: {
    files?: Record<string, string>
    limit?: number
    demotesTests?: boolean
    size?: number
    reader?: SearchReader
  } = {},
) => await searchCode(text, { limit, demotesTests }, { reader, embedQuery: async () => null })

export const paths = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).hits.map(({ path }) => path)
