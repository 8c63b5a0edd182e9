import { test } from 'tap'
import { importsOf, scopesOf, spans } from '../spans.ts'

test('a block is what stands deeper than its header; blank lines and comments behind it are not in it', async t => {
  t.same(
    spans(
      'python',
      'class A(Base):\n    """def no():"""\n\n    async def f(self):\n        return 1\n\n    def g(self): return 2\n    # end\n\ndef h(\n    a,\n    b=")",\n):\n    if a:\n        def inner():\n            pass\n    return b\n\nx = 1\n',
    ),
    ['class A 1-7', 'function A/f 4-5', 'function A/g 7-7', 'function h 10-17', 'function h/inner 15-16'],
  )
})

test('what looks like code in strings is not code', async t => {
  t.same(
    spans(
      'python',
      'x = """\ndef a():\n    pass\n"""\ny = r"\\"\ns = f\'{x}\' "def b(): pass"\nz = \'it\\\'s\' \\\n  "def c():"\ndef d():\n    return \'\'\'\nclass E:\n\'\'\'\n',
    ),
    ['function d 9-12'],
  )
})

test('decorators and the comment above them lead a definition', async t => {
  const scopes = scopesOf(
    'python',
    'import a\n\n# about f\n@one\n@two(\n    x,\n)\ndef f():\n    pass\n\nclass B:\n    # about g\n    def g(self): pass\n',
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
      'import os.path as p, sys\nfrom .a.b import c as d, e\nfrom .. import (\n    f,  # why\n    g as h,\n)\nfrom x import *\nif True:\n    from y.z import w\n',
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
