import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

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
