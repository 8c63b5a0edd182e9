import { test } from 'tap'
import { goFrame } from '../../../../src/stack-trace/readers/go/go-frame.ts'

test('a place with its address and the code below it', async t => {
  t.same(goFrame(['/srv/app/main.go:12 (0x4c5b31)', '\tmain.serve: return carts[id].Total()'], 0)?.frame, {
    raw: '/srv/app/main.go:12 (0x4c5b31) main.serve: return carts[id].Total()',
    file: '/srv/app/main.go',
    line: 12,
    column: null,
    function: 'main.serve',
    sourceText: 'return carts[id].Total()',
    repeat: 1,
  })
  t.match(goFrame(['#\t0x4c5b31\tmain.serve+0x31\t\t/srv/app/main.go:12'], 0)?.frame, {
    file: '/srv/app/main.go',
    line: 12,
    function: 'main.serve',
  })
})

test('prose and other languages are no frames', async t => {
  for (const lines of [
    ['see', 'main.go:12'],
    ['some words here', '\t/srv/a.go:1'],
    ['main.main', '/srv/a.go:1'],
    ['a.b', '\t/srv/a.py:1'],
  ]) {
    t.equal(goFrame(lines, 0), null, lines.join('|'))
  }
})
