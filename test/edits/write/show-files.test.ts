import fc from 'fast-check'
import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { showFiles } from '../../../src/edits/write/show-files.ts'
import { runs } from '../../helpers/property-runs.ts'

test('files are shown by name, fence, content, fence; a fence is longer than any in the content', async t => {
  t.equal(
    showFiles([
      ['a.py', 'x\n'],
      ['b/c.md', '```\nold\n````\n'],
      ['empty', ''],
      ['open.txt', 'no newline'],
    ]),
    'a.py\n```\nx\n```\n\nb/c.md\n`````\n```\nold\n````\n`````\n\nempty\n```\n```\n\nopen.txt\n```\nno newline\n```',
  )
  t.equal(showFiles([]), '')
})

test('a reply in the format in which files are shown gives them back, whatever is in them but diffs', async () => {
  const line = fc.oneof(
    fc.string({ maxLength: 20 }).filter(text => !/[\r\n]/.test(text)),
    fc.constantFrom(
      '',
      '```',
      '````',
      '```js',
      '  ```',
      '~~~',
      'main.py',
      '# Title',
      '+x',
      '-y',
      '{{slot}}',
      '</data-0>',
      '\tx',
      'x = 1  ',
    ),
  )
  const content = fc.array(line, { maxLength: 8 }).map(lines => lines.map(one => `${one}\n`).join(''))
  const files = fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(
        'main.py',
        'src/a.ts',
        'docs/readme.md',
        'Makefile',
        'run.sh',
        'x/y/z.json',
        'a.b.c.txt',
        '.env.example',
      ),
      content,
    ),
    { maxLength: 4, selector: ([path]) => path },
  )
  fc.assert(
    fc.property(files, given => {
      const { files: read, diffs, problems } = readReply(showFiles(given))
      const result = JSON.stringify([read.map(({ path, content }) => [path, content]), diffs, problems])
      return result === JSON.stringify([given, [], []])
    }),
    { numRuns: runs(300) },
  )
})
