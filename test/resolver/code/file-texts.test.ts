import { test } from 'tap'
import { linesOf, rememberTexts } from '../../../src/resolver/code/file-texts.ts'

test('equal texts have the same lines, which know their text', async t => {
  const lines = linesOf('one\ntwo\n')
  t.same(lines.slice(0, 9), ['one', 'two'])
  t.equal(linesOf(['one\n', 'two\n'].join('')), lines)
  t.equal(lines.text, 'one\ntwo\n')
})

test('a file is read once, also one that is not there', async t => {
  const read: string[] = []
  const texts = rememberTexts((repository, path) => {
    read.push(`${repository}/${path}`)
    return path === 'a.py' ? 'x\ny\n' : null
  })
  for (let time = 0; time < 2; time++) {
    t.equal(texts.text('shop', 'a.py'), 'x\ny\n')
    t.same(texts.lines('shop', 'a.py').slice(0, 9), ['x', 'y'])
    t.equal(texts.lineCount('shop', 'a.py'), 2)
    t.equal(texts.text('shop', 'b.py'), null)
    t.equal(texts.lineCount('shop', 'b.py'), 0)
  }
  t.same(read, ['shop/a.py', 'shop/b.py'])
})
