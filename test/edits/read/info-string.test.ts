import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'

/** The info string of a fence, and the name; null for none. */
const NAMES: Array<[info: string, path: string | null]> = [
  ['python // src/main.py', 'src/main.py'],
  ['python [src/main.py]', 'src/main.py'],
  ['python src/main.py', 'src/main.py'],
  ['python:src/main.py', 'src/main.py'],
  ['src/main.py', 'src/main.py'],
  ['python title="src/main.py"', 'src/main.py'],
  ['js filename=app.js', 'app.js'],
  ['{.python file="a.py"}', 'a.py'],
  ['python', null],
  ['12:20:src/main.py', 'src/main.py'],
  ['js title="Example"', null],
]

test('a block has the name in its info string, and no other', async t => {
  for (const [info, path] of NAMES) {
    const { files } = readReply(`Some words.\n\n\`\`\`${info}\nx = 1\n\`\`\`\n`)
    t.same(
      files.map(file => file.path),
      path === null ? [] : [path],
      info,
    )
  }
})
