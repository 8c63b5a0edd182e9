import { test } from 'tap'
import { scopesOf } from './spans.ts'

test('the comment and the decorators above lead a definition', async t => {
  const scopes = scopesOf(
    'typescript',
    '/**\n * a\n */\nexport function a () {\n}\n\n@C({\n  d: 1\n})\nclass B {\n  // c\n  c () {}\n}\n',
  )
  t.same(
    scopes.map(({ name, leadLine, startLine }) => [name, leadLine, startLine]),
    [
      ['a', 1, 4],
      ['B', 7, 10],
      ['c', 11, 12],
    ],
  )
})
