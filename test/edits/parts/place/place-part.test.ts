import { test } from 'tap'
import { checkParts } from '../../../helpers/part-cases.ts'

const define = (name: string, body = 'return 1'): string => `function ${name}() {\n  ${body}\n}\n`
const CODE = `${define('a')}\n\n${define('b')}\n${define('c')}`
const REST = '// ... existing code ...\n\n'

test('a new definition behind all the rest keeps the distance of the last two', t => {
  checkParts(t, { path: 'a.js', before: CODE }, [
    ['one line, though the others have two', `${REST}${define('d')}`, `${CODE}\n${define('d')}`],
    ['two of them', `${REST}${define('d')}\n${define('e')}`, `${CODE}\n${define('d')}\n${define('e')}`],
  ])
  checkParts(t, { path: 'a.js', before: `${define('a')}\n${define('b')}\n\n${define('c')}` }, [
    ['two lines', `${REST}${define('d')}`, `${define('a')}\n${define('b')}\n\n${define('c')}\n\n${define('d')}`],
  ])
  checkParts(t, { path: 'a.js', before: define('a') }, [
    ['one line behind a single one', `${REST}${define('d')}`, `${define('a')}\n${define('d')}`],
  ])
  checkParts(t, { path: 'a.js', before: `${define('a')}${'\n'.repeat(5)}${define('b')}` }, [
    [
      'one line where the distance is odd',
      `${REST}${define('d')}`,
      `${define('a')}${'\n'.repeat(5)}${define('b')}\n${define('d')}`,
    ],
  ])
  t.end()
})

test('a new definition goes beside its neighbour in the block', t => {
  checkParts(t, { path: 'a.js', before: CODE }, [
    [
      'behind it',
      `${define('b')}\n${define('d')}\n${REST}`,
      CODE.replace(define('b'), `${define('b')}\n${define('d')}`),
    ],
    [
      'behind it, two of them, one changed',
      `${define('b', 'return 2')}\n\n${define('d')}\n${define('e')}\n${REST}`,
      CODE.replace(define('b'), `${define('b', 'return 2')}\n\n${define('d')}\n${define('e')}`),
    ],
    [
      'behind a gap, with one that is there',
      `${REST}${define('d')}\n${define('c')}`,
      CODE.replace(define('c'), `${define('d')}\n${define('c')}`),
    ],
    ['before a gap and nothing', `${define('d')}\n${REST}`, /leaves out code/],
    [
      'far from it',
      `${define('b')}${'\n'.repeat(9)}${define('d')}${REST}`,
      CODE.replace(define('b'), `${define('b')}\n\n\n${define('d')}`),
    ],
  ])
  t.end()
})

test('a definition is told from others of its name by its first line', t => {
  const over =
    'class A {\n  int f(int a) {\n    return 1;\n  }\n\n  int f(String a) {\n    return 2;\n  }\n\n  int g() {\n    return 3;\n  }\n}\n'
  const wrap = (member: string): string => `class A {\n  // ... existing code ...\n\n${member}}\n`
  checkParts(t, { path: 'A.java', before: over }, [
    ['an overload', wrap('  int f(String a) {\n    return 9;\n  }\n'), over.replace('return 2', 'return 9')],
    ['an overload with another head', wrap('  int f(long a) {\n    return 9;\n  }\n'), /leaves out code|lacks/],
    ['a method', wrap('  int g() {\n    return 9;\n  }\n'), over.replace('return 3', 'return 9')],
  ])
  t.end()
})

test('lines in no definition have to stand in the file just so', t => {
  const before = `setup()\nstart(1)\n\n${CODE}`
  checkParts(t, { path: 'a.js', before }, [
    ['they do', `setup()\nstart(1)\n\n${define('a', 'return 2')}\n${REST}`, before.replace('return 1', 'return 2')],
    ['they do not', `setup()\nstart(2)\n\n${define('a', 'return 2')}\n${REST}`, /leaves out code/],
  ])
  t.end()
})

test('nothing is put behind what does not end with a definition', t => {
  checkParts(t, { path: 'a.js', before: `${CODE}\nstart()\n` }, [
    ['a call', `${REST}${define('d')}`, /leaves out code/],
  ])
  checkParts(t, { path: 'a.js', before: `${CODE}\nconst last = 1\n` }, [
    ['a value', `${REST}${define('d')}`, /leaves out code/],
  ])
  t.end()
})
