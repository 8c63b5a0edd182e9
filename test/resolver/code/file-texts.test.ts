import { test } from 'tap'
import { linesOf, rememberTexts, textOf } from '../../../src/resolver/code/file-texts.ts'

test('equal texts have the same lines, which know their text', async t => {
  const lines = linesOf('one\ntwo\n')
  t.same(lines, ['one', 'two'])
  t.equal(linesOf(['one\n', 'two\n'].join('')), lines)
  t.equal(textOf(lines), 'one\ntwo\n')
  t.equal(textOf(['a', 'b']), 'a\nb')
})

test('a file is read once, also one that is not there', async t => {
  const read: string[] = []
  const texts = rememberTexts((repository, path) => {
    read.push(`${repository}/${path}`)
    return path === 'a.py' ? 'x\ny\n' : null
  })
  for (let time = 0; time < 2; time++) {
    t.equal(texts.text('shop', 'a.py'), 'x\ny\n')
    t.same(texts.lines('shop', 'a.py'), ['x', 'y'])
    t.equal(texts.lineCount('shop', 'a.py'), 2)
    t.equal(texts.text('shop', 'b.py'), null)
    t.equal(texts.lineCount('shop', 'b.py'), 0)
  }
  t.same(read, ['shop/a.py', 'shop/b.py'])
})
