import { test } from 'tap'
import { PYTHON } from '../../../src/outline/languages/python.ts'
import { tokenizeSource } from '../../../src/outline/lexis/lexer.ts'
import { checkSpans, importsOf, scopesOf, spans } from '../spans.ts'

test('a block is what stands deeper than its header; blank lines and comments behind it are not in it', async t => {
  t.same(
    spans(
      'python',
      `class A(Base):
    """def no():"""

    async def f(self):
        return 1

    def g(self): return 2
    # end

def h(
    a,
    b=")",
):
    if a:
        def inner():
            pass
    return b

x = 1
`,
    ),
    ['class A 1-7', 'function A/f 4-5', 'function A/g 7-7', 'function h 10-17', 'function h/inner 15-16'],
  )
})

test('what looks like code in strings is not code', async t => {
  t.same(
    spans(
      'python',
      `x = """
def a():
    pass
"""
y = r"\\"
s = f'{x}' "def b(): pass"
z = 'it\\'s' \\
  "def c():"
def d():
    return '''
class E:
'''
`,
    ),
    ['function d 9-12'],
  )
})

test('decorators and the comment above them lead a definition', async t => {
  const scopes = scopesOf(
    'python',
    `import a

# about f
@one
@two(
    x,
)
def f():
    pass

class B:
    # about g
    def g(self): pass
`,
  )
  t.same(
    scopes.map(({ name, leadLine, startLine }) => [name, leadLine, startLine]),
    [
      ['f', 3, 8],
      ['B', 11, 11],
      ['g', 12, 13],
    ],
  )
})

test('imports as written', async t => {
  t.same(
    importsOf(
      'python',
      `import os.path as p, sys
from .a.b import c as d, e
from .. import (
    f,  # why
    g as h,
)
from x import *
if True:
    from y.z import w
`,
    ),
    ['1 os.path', '1 sys', '2 .a.b {c e}', '3 .. {f g}', '7 x', '9 y.z {w}'],
  )
})

test('functions of Cython', async t => {
  t.same(spans('cython', 'cdef class A:\n    cdef int x\n    cpdef double f(self, int y):\n        return y\n'), [
    'class A 1-4',
    'function A/f 3-4',
  ])
})

test('Python: definitions of every form', async t => {
  checkSpans(t, 'python', [
    [
      'def a(): pass\nasync def b(): pass\nclass C: pass\nclass D(E, metaclass=F): pass',
      'function a 1-1, function b 2-2, class C 3-3, class D 4-4',
    ],
    ['def a(\n  b,\n  c=(1,\n2),\n):\n  d\n\n\ndef e():\n  f\n', 'function a 1-6, function e 9-10'],
    [
      '@a\n@b(c)\ndef d():\n  pass\n\n@e\nclass F:\n  @g\n  def h(self): pass\n',
      'function d 3-4, class F 7-9, function F/h 9-9',
    ],
    [
      'class A:\n  b = 1\n\n  def c(self):\n    def d():\n      pass\n    return d\n\n  class E:\n    pass\nf = 1\n',
      'class A 1-10, function A/c 4-7, function c/d 5-6, class A/E 9-10',
    ],
    [
      'def a():\n  if b:\n    def c(): pass\n  else:\n    def c(): pass\n  for d in e: pass\n',
      'function a 1-6, function a/c 3-3, function a/c 5-5',
    ],
    ['def a():\n  """\n}def b():\n  """\n  x\ndef c(): pass\n', 'function a 1-5, function c 6-6'],
    ["def a():\n  '''\ndef b():\n  '''\ndef c(): pass\n", 'function a 1-4, function c 5-5'],
    ['def a():\n  b = "\\"\\\n"\n  c = r"\\"\ndef d(): pass\n', 'function a 1-4, function d 5-5'],
    ["def a():\n  b = f\"{c[\"}\"]}\" f'''\n{d}\n'''\ndef e(): pass\n", 'function a 1-4, function e 5-5'],
    ['def a():\n# b\n  c\n  # d\n\n# e\ndef f(): pass\n', 'function a 1-3, function f 7-7'],
    ['def a():\n  b = [\nc,\n]\n  d\ne\n', 'function a 1-5'],
    ['def a(): return b; c = 1\nif x: y\nclass D: e = 1\n', 'function a 1-1, class D 3-3'],
    ['def a():\n\tb\n\tdef c():\n\t\td\ne\n', 'function a 1-4, function a/c 3-4'],
    [
      'def a() -> b[c]:\n  d\nclass E[T]:\n  pass\ndef f[T](g: T): pass\ntype H = I\n',
      'function a 1-2, class E 3-4, function f 5-5',
    ],
    ['x = lambda: 1\ny.def_ = 2\nmatch = 1\nclass_ = 2\ndef a(): pass\n', 'function a 5-5'],
    ['def a():\n  b\\\n\n  c\nd\n', 'function a 1-4'],
    ['if a:\n  def b():\n    c\nelse:\n  class D:\n    e\n', 'function b 2-3, class D 5-6'],
    ['def a():\n  ...\n\n\n', 'function a 1-2'],
    ['def', ''],
    ['def a', 'function a 1-1'],
    ['def a(', 'function a 1-1'],
    ['def a():', 'function a 1-1'],
    ['class', ''],
    ['class A', 'class A 1-1'],
    ['class A:\n  def b', 'class A 1-2, function A/b 2-2'],
    ['@a', ''],
  ])
})

test('a string is one token with its prefix, and other words beside it are none', async t => {
  const cut = (text: string): string[] => {
    const tokens = tokenizeSource(text, PYTHON)
    return Array.from({ length: tokens.count }, (_, at) => tokens.textOf(at))
  }
  t.same(cut('x = f"a" + rb\'b\''), ['x', '=', 'f"a"', '+', "rb'b'"])
  t.same(cut('f "a"'), ['f', '"a"'], 'a blank between')
  t.same(cut('name"a"'), ['name', '"a"'], 'no prefix')
  t.same(cut('brut"a"'), ['brut', '"a"'], 'too long')
  t.same(cut('"""a "b" c""" d'), ['"""a "b" c"""', 'd'])
  t.same(cut('"a" \'b\''), ['"a"', "'b'"])
})
