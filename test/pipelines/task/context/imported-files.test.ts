import { test } from 'tap'
import { importedFiles } from '../../../../src/pipelines/task/context/imported-files.ts'
import { contextDeps } from './context-fixture.ts'

const deps = contextDeps()
const imported = (files: Record<string, string>, importers: readonly string[]): string[] =>
  importedFiles(importers, deps, { paths: Object.keys(files).sort(), texts: new Map(Object.entries(files)) })

test('imports of many languages mean files of the commit', t => {
  const cases: Array<[importer: string, text: string, means: string[]]> = [
    [
      'src/a.ts',
      "import x from './b.js'\nexport * from '../lib'\nconst y = require('./c')\n",
      ['src/b.ts', 'lib/index.ts', 'src/c.js'],
    ],
    ['src/A.vue', "<script setup>\nimport B from './B.vue'\n</script>\n", ['src/B.vue']],
    ['app/a.py', 'from .b import c\nfrom . import d\nimport app.e\n', ['app/b.py', 'app/d.py', 'app/e.py']],
    ['src/main.rs', 'mod cart;\nuse crate::price::round;\n', ['src/cart.rs', 'src/price.rs']],
    ['src/main/java/shop/Main.java', 'package shop;\nimport shop.cart.Cart;\n', ['src/main/java/shop/cart/Cart.java']],
    ['lib/shop.rb', "require_relative 'shop/cart'\n", ['lib/shop/cart.rb']],
    ['src/main.c', '#include "cart.h"\n#include <stdio.h>\n', ['src/cart.h']],
  ]
  for (const [importer, text, means] of cases) {
    const files = { [importer]: text, ...Object.fromEntries(means.map(path => [path, ''])) }
    t.same(imported(files, [importer]).sort(), [...means].sort(), importer)
  }
  t.end()
})

test('nothing outside of the commit, nothing twice, no tests for what is none', t => {
  const files = {
    'a.ts': "import '../../../etc/passwd'\nimport '/etc/passwd'\nimport 'fs'\nimport './b'\nimport './b.js'\n",
    'b.ts': "import './a'\nimport './c.test'\nimport './c'\n",
    'c.ts': '',
    'c.test.ts': '',
  }
  t.same(imported(files, ['a.ts']), ['b.ts'])
  t.same(imported(files, ['a.ts', 'b.ts']), ['c.ts'])
  t.same(imported(files, ['no.ts']), [])
  t.end()
})
