import { test } from 'tap'
import { ClosingTags } from '../../../src/edits/read/closing-tags.ts'
import { readTaggedFile } from '../../../src/edits/read/tagged-file.ts'

const read = (text: string): unknown => {
  const lines = text.split('\n')
  return readTaggedFile(lines, 0, new ClosingTags(lines))
}

test('a file stands between tags that name it', async t => {
  const file = { path: 'a.py', from: 1, to: 2, end: 2 }
  for (const [open, close] of [
    ['<file path="a.py">', '</file>'],
    ["<create_file filename='a.py'>", '</create_file>'],
    ['<antArtifact identifier="x" type="code" title="a.py">', '</antArtifact>'],
    ['<boltAction type="file" filePath="a.py">', '</boltAction>'],
  ] as const) {
    t.same(read(`${open}\nx\n${close}`), file, open)
  }
  t.same(read('<file>\n<path>a.py</path>\n<content>\nx\n</content>\n</file>'), { path: 'a.py', from: 3, to: 4, end: 5 })
})

test('other tags, open ones and such without a name are none', async t => {
  for (const text of [
    '<p path="a.py">\nx\n</p>',
    '<file path="a.py">\nx',
    '<file path="a.py">\nx\n </file>',
    '<file>\nx\n</file>',
    '<file>\n<path>a.py</path>\n<content>\nx\n</file>',
    '<file>\n<path>a.py</path>\n</content>\nx\n</file>',
    '<file>\n<content>\nx\n</content>\n</file>',
    '<antArtifact title="The new loader">\nx\n</antArtifact>',
    'x',
  ]) {
    t.equal(read(text), null, text)
  }
})
