import { test } from 'tap'
import { importRange } from '../../../../src/edits/parts/place/merge-imports.ts'
import { checkParts } from '../../../helpers/part-cases.ts'

const LOAD = 'def load():\n    return 1\n'
const SAVE = 'def save():\n    return 2\n'
const NEW_LOAD = 'def load():\n    return 9\n'

test('an import goes on while a bracket is open or its line ends with a backslash', async t => {
  t.equal(importRange(['import a', 'import b'], 0), 1)
  t.equal(importRange(['from a import (', '  b,', '  c', ')', 'x'], 0), 4)
  t.equal(importRange(['from a import b, \\', '  c', 'x'], 0), 2)
  t.equal(importRange(['from a import (', 'b'], 0), 1, 'never closed')
  const long = ['from a import (', ...Array.from({ length: 198 }, () => 'b,'), ')', 'x']
  t.equal(importRange(long, 0), 200)
  t.equal(importRange(['import x', ...long.toSpliced(1, 0, 'b,')], 1), 2, 'longer than any')
})

test('an import of a part joins those of its file', t => {
  const python = (head: string): string => `${head}\n\n${LOAD}\n\n${SAVE}`
  const after = (head: string): string => python(head).replace(LOAD, NEW_LOAD)
  const sent = (imports: string): string => `${imports}\n\n\n${NEW_LOAD}\n# ... existing code ...\n`
  checkParts(t, { path: 'a.py', before: python('import os\n') }, [
    ['a new one', sent('import re'), after('import os\nimport re\n')],
    ['one that is there', sent('import os'), after('import os\n')],
    [
      'names of a module that the file has whole',
      sent('from os import path'),
      after('import os\nfrom os import path\n'),
    ],
    ['another name for the module', sent('import os as system'), /lacks|leaves out/],
    ['the future', sent('from __future__ import annotations'), /lacks|leaves out/],
  ])
  checkParts(t, { path: 'a.py', before: python('from a import (\n    b,\n)\n') }, [
    ['the same in one line', sent('from a import (b)'), after('from a import (\n    b,\n)\n')],
    ['behind several lines', sent('import re'), after('from a import (\n    b,\n)\nimport re\n')],
  ])
  checkParts(t, { path: 'a.py', before: `${LOAD}\n\n${SAVE}` }, [
    ['the first one', sent('import re'), `import re\n\n${NEW_LOAD}\n\n${SAVE}`],
  ])
  checkParts(t, { path: 'a.py', before: `"""Shop."""\n\n\n${LOAD}\n\n${SAVE}` }, [
    ['the first one behind a text', sent('import re'), /lacks|leaves out/],
  ])
  t.end()
})

test('an import of JavaScript with more names takes the place of the one of its module', t => {
  const define = (name: string, value: number): string => `export function ${name} () {\n  return ${value}\n}\n`
  const file = (head: string, value = 1): string => `${head}\n${define('load', value)}\n${define('save', 2)}`
  const sent = (imports: string): string => `${imports}\n\n${define('load', 9)}\n// ... existing code ...\n`
  checkParts(t, { path: 'a.js', before: file("import { read } from './files.js'\n") }, [
    [
      'one name more',
      sent("import { read, write } from './files.js'"),
      file("import { read, write } from './files.js'\n", 9),
    ],
    ['one name less', sent("import { write } from './files.js'"), /lacks|leaves out/],
    ['another form', sent("import all, { read } from './files.js'"), /lacks|leaves out/],
    [
      'another module',
      sent("import { x } from './x.js'"),
      file("import { read } from './files.js'\nimport { x } from './x.js'\n", 9),
    ],
  ])
  t.end()
})
