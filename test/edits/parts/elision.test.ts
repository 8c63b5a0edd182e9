import { test } from 'tap'
import { elisionTest } from '../../../src/edits/parts/elision.ts'

test('a line stands for what is left out when it says so, as its kind of file allows', async t => {
  for (const [path, line] of [
    ['a.py', '# ... existing code ...'],
    ['a.py', '# rest unchanged'],
    ['a.py', '# keep the remaining functions exactly as they are'],
    ['a.js', '// keep the remaining functions exactly as they are'],
    ['a.css', '/* rest of the styles unchanged */'],
    ['a.html', '<!-- rest of the page unchanged -->'],
    ['a.js', '// ...'],
    ['a.py', '# ...'],
    ['a.js', '...'],
    ['a.js', 'function x() { ... }'],
    ['a.js', 'function x() { /* ... */ }'],
    ['a.py', '# unchanged'],
    ['a.py', '    # existing code here'],
    ['a.js', '  // The rest of the class remains unchanged.'],
    ['a.sql', '-- other tables stay as they are'],
    ['a.json', '"...": "..."'],
    ['a.json', '  ...'],
    ['a.md', '... (rest unchanged)'],
    ['a.md', '<!-- rest unchanged -->'],
    ['a.md', '[rest of the README unchanged]'],
    ['a.py', '# ... (18 more functions)'],
    ['a.py', '# other methods omitted for brevity'],
    ['a.js', '{/* existing markup stays the same */}'],
    ['a.rb', '# Rest of the class is the same'],
    ['a.yaml', '# ... other services ...'],
    ['a.yaml', '# (rest of the file unchanged)'],
    ['a.py', '# rest of the file'],
    ['a.py', '    # ... implementation unchanged'],
    ['a.js', '  // original code'],
    ['Dockerfile', '# rest of the Dockerfile stays the same'],
    ['a.py', '# all other functions stay the same'],
    ['a.py', '# [existing code]'],
    ['a.py', '# same as before'],
    ['a.lua', '-- rest unchanged'],
    ['a.py', '# Keep everything else as is'],
    ['a.py', '# Leave the other functions unchanged'],
  ] as const) {
    t.ok(elisionTest(path, [])(line), `${path}: ${line}`)
  }
})

test('a line that only sounds like it does not', async t => {
  for (const [path, line] of [
    ['a.py', '# keep the remaining connections open'],
    ['a.py', '    ...'],
    ['a.py', '# Existing code paths use the old API'],
    ['a.js', 'const x = { ...rest }'],
    ['a.js', 'f(...args)'],
    ['a.py', 'print("...")'],
    ['a.py', '# Loading...'],
    ['a.md', '- existing code remains the same'],
    ['a.md', '# Rest of the world'],
    ['a.md', '...'],
    ['a.js', '// Other methods'],
    ['a.py', '# the remaining budget, in dollars'],
    ['a.py', '# leave the others alone'],
    ['a.js', "const u = 'http://...'"],
    ['a.js', '// rest parameters are collected'],
    ['a.py', '# same as above, but for lists'],
    ['a.py', '# keep the existing value'],
    ['a.js', '// The rest is sent to the server'],
    ['a.yaml', '...'],
    ['a.go', 'func f(a ...int) {}'],
    ['a.py', '# as before, callers hold the lock'],
  ] as const) {
    t.notOk(elisionTest(path, [])(line), `${path}: ${line}`)
  }
  t.notOk(elisionTest('a.py', ['    # rest unchanged'])('# rest unchanged'), 'a line that the file has')
})
