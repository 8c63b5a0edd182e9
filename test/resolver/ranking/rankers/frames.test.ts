import { test } from 'tap'
import { rankFrames } from '../../../../src/resolver/ranking/rankers/frames.ts'
import { queryOf, traceback } from './query-of.ts'

const CALLER = 'from app.check import require_positive\n\ndef order(count):\n    require_positive(count)\n'

const paths = (trace: string, files: Record<string, string>): string[] => {
  const { query, reader } = queryOf(trace, files)
  return rankFrames(query, reader).map(({ path }) => path)
}

test('the file nearest to the failure is the first to be at fault', t => {
  const files = { 'app/shop.py': CALLER, 'app/check.py': 'def require_positive(count):\n    return 1 / count\n' }
  t.same(
    paths(
      traceback('ZeroDivisionError: division by zero', 'app/shop.py:4:order', 'app/check.py:2:require_positive'),
      files,
    ),
    ['app/check.py', 'app/shop.py'],
  )
  t.end()
})

test('where the failing statement raises the error by itself, its caller is', t => {
  const files = {
    'app/shop.py': CALLER,
    'app/check.py': 'def require_positive(count):\n    raise ValueError(\n        f"{count} is not positive")\n',
  }
  const trace = traceback('ValueError: 0 is not positive', 'app/shop.py:4:order', 'app/check.py:3:require_positive')
  t.same(paths(trace, files), ['app/shop.py', 'app/check.py'])
  const { query, reader } = queryOf(trace, files)
  t.match(rankFrames(query, reader).at(-1)?.why, /a caller may be at fault/)
  t.end()
})

test("a copy of foreign code comes after the project's own", t => {
  const files = { 'app/shop.py': CALLER, 'vendor/check.py': 'def require_positive(count):\n    return 1 / count\n' }
  t.same(
    paths(
      traceback('ZeroDivisionError: division by zero', 'app/shop.py:4:order', 'vendor/check.py:2:require_positive'),
      files,
    ),
    ['app/shop.py', 'vendor/check.py'],
  )
  t.end()
})

test('a trace without a frame of the project names no file', t => {
  t.same(paths('the cart is wrong', { 'app/shop.py': CALLER }), [])
  t.end()
})
