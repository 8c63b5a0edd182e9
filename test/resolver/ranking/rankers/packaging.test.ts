import { test } from 'tap'
import { rankByPackaging } from '../../../../src/resolver/ranking/rankers/packaging.ts'
import { queryOf, traceback } from './query-of.ts'

const FILES = {
  'setup.py': 'setup(packages=["shop"])\n',
  'shop/main.py': 'from shop.tensor import Index\n',
  'shop/tensor/__init__.py': 'class Index:\n    pass\n',
}

const found = (error: string): string[] => {
  const { query, reader } = queryOf(traceback(error, 'shop/main.py:1:<module>'), FILES)
  return rankByPackaging(query, reader).map(({ path }) => path)
}

test('a module of the project that is not found may be missing in the package', t => {
  t.same(found('ImportError: No module named tensor'), ['setup.py'])
  t.same(found("ModuleNotFoundError: No module named 'shop.tensor'"), ['setup.py'])
  t.end()
})

test('a foreign module that is not found says nothing of the package', t => {
  t.same(found('ImportError: No module named numpy'), [])
  t.same(found('ValueError: tensor'), [])
  t.end()
})
