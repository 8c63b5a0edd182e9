import { test } from 'tap'
import { applyPart, block } from '../../helpers/part-cases.ts'

const LOAD = 'def load(path):\n    with open(path) as f:\n        return json.load(f)\n'
const SAVE = 'def save(path, data):\n    with open(path, "w") as f:\n        json.dump(data, f)\n'
const OTHER = 'import os\n\n\ndef check(path):\n    return os.path.exists(path)\n'

test('a definition may leave its file when any edit of the reply brings it into another', async t => {
  const files = { 'a.py': `import json\n\n\n${LOAD}\n\n${SAVE}`, 'b.py': OTHER }
  const without = block('a.py', `import json\n\n\n${LOAD}`)
  const added = SAVE.replaceAll(/^/gm, '+').slice(0, -1)
  const diff =
    '```diff\n--- a/b.py\n+++ b/b.py\n@@ -1,1 +1,2 @@\n import os\n+import json\n' +
    `@@ -5,1 +6,6 @@\n     return os.path.exists(path)\n+\n+\n${added}\`\`\`\n`
  t.match(applyPart(files, without).rejected, [/lacks save/])
  const moved = applyPart(files, `${diff}\n${without}`)
  t.same(moved.rejected, [])
  t.equal(moved.files['a.py'], `import json\n\n\n${LOAD}`)
  t.ok(moved.files['b.py']?.endsWith(`\n\n${SAVE}`))
})
