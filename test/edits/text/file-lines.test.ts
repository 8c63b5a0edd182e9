import { test } from 'tap'
import { endBeside, joinFile, likeFile, splitFile } from '../../../src/edits/text/file-lines.ts'
import { checkReplies, diffOf, fenced, of } from '../../helpers/reply-cases.ts'

test('a block keeps what of a file it cannot show', async t => {
  checkReplies(t, [
    [
      'CRLF and mark of the file are kept',
      `f.txt\n${fenced('a\nc', '')}`,
      of('\uFEFFa\r\nc\r\n'),
      of('\uFEFFa\r\nb\r\n'),
    ],
    ['line ends of the neighbours', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\r\nc\r\nd\n'), of('a\r\nb\r\nd\n')],
    ['no newline at the end stays', diffOf('@@ -1,2 +1,2 @@\n a\n-b\n+c\n'), of('a\nc'), of('a\nb')],
    ['mixed line ends stay', diffOf('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'), of('a\nx\nc\r\nd\n'), of('a\nb\nc\r\nd\n')],
    [
      'a file of whole lines keeps having no newline at the end',
      `f.txt\n${fenced('a\nc', '')}`,
      of('a\nc'),
      of('a\nb'),
    ],
  ])
})

test('a file is split into lines that keep their ends, and joined again', async t => {
  t.same(splitFile('\uFEFFa\r\n\nb\rc'), { bom: '\uFEFF', lines: ['a', '', 'b\rc'], ends: ['\r\n', '\n', ''] })
  t.same(splitFile(''), { bom: '', lines: [], ends: [] })
  for (const text of ['', 'a', 'a\n', '\n\n', '\r\n', '\uFEFF', '\uFEFF\na\r\r\nb']) {
    t.equal(joinFile(splitFile(text)), text)
  }
})

test('new lines end like the line above, else like the one below', async t => {
  const end = (text: string, at: number): string => endBeside(splitFile(text), at)
  t.equal(end('a\r\nb\n', 1), '\r\n')
  t.equal(end('a\r\nb\n', 0), '\r\n')
  t.equal(end('a\nb\r\n', 2), '\r\n')
  t.equal(end('a\r\nb', 2), '\r\n', 'behind a last line without an end')
  t.equal(end('', 0), '\n')
})

test('a new content keeps the mark, CRLF and a last line without an end', async t => {
  const like = (content: string, before: string): string => likeFile(content, splitFile(before))
  t.equal(like('x\ny\n', '\uFEFFa\r\n'), '\uFEFFx\r\ny\r\n')
  t.equal(like('x\ny\n', 'a\r\nb\n'), 'x\ny\n', 'mixed ends')
  t.equal(like('x\ny\n', 'a\r\nb'), 'x\r\ny', 'only the last line has no end')
  t.equal(like('x\r\ny\n', 'a\n'), 'x\r\ny\n')
  t.equal(like('x\n', 'a'), 'x')
  t.equal(like('x\n', ''), 'x\n')
  t.equal(like('', 'a'), '')
})
