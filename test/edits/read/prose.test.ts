import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'

const DIFF = '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n```'

test('the prose of a reply is what stands outside of its blocks, without their names', async t => {
  for (const [reply, prose] of [
    [`The loop ends too early.\n\n${DIFF}\n\nNothing else depends on it.\n`, /^The loop ends too early\.\n\nNothing/],
    ['Two files:\n\nsrc/a.py\n```python\nx = 1\n```\n\n**b.py**\n\n```python\ny = 1\n```\n', 'Two files:'],
    ['Run it:\n\n```bash\npython3 a.py\n```\nDone.', 'Run it:\n\nDone.'],
    ['--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n', ''],
    [DIFF, ''],
    ['', ''],
    ['I would leave it as it is.', 'I would leave it as it is.'],
  ] as const) {
    t.match(readReply(reply).prose, prose)
    if (typeof prose === 'string') t.equal(readReply(reply).prose, prose)
  }
})

test('thoughts are no prose, and neither is a reply of which nobody knows what is thought', async t => {
  t.equal(readReply(`<think>\nIs it the loop?\n</think>\nIt is the loop.\n${DIFF}`).prose, 'It is the loop.')
  t.equal(readReply('--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n\n</think>\nSo it is.\n').prose, '')
})

test('a block that is cut off or belongs nowhere is no prose', async t => {
  t.equal(readReply('First.\n\na.py\n```python\nx = 1\n').prose, 'First.')
  t.equal(readReply(`First.\n${DIFF}`, { isCut: true }).prose, 'First.')
  t.equal(readReply('So:\n\n```\nx = 1\n```\n\nAs above.').prose, 'So:\n\nAs above.')
})
