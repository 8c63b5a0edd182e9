import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'

test('a name that leads outside is refused, not left out', async t => {
  for (const name of [
    '../x.py',
    '/etc/passwd',
    '~/x.py',
    'C:\\x\\y.py',
    '\\\\server\\x.py',
    'a/../../x.py',
    '.git/config',
    '.GIT/hooks/x.sh',
    'a/.git./x.py',
    '..\\x.py',
  ]) {
    t.match(
      readReply(`${name}\n\`\`\`\nx\n\`\`\`\n`),
      { files: { length: 0 }, problems: [{ reason: 'bad_path' }] },
      name,
    )
    t.match(
      readReply(`\`\`\`diff\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n\`\`\`\n`),
      { diffs: { length: 0 }, problems: [{ reason: 'bad_path' }] },
      `diff of ${name}`,
    )
  }
})
