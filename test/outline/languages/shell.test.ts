import { test } from 'tap'
import { importsOf, spans } from '../spans.ts'

test('shell: functions of either form; here-documents, strings and expansions are no code', async t => {
  t.same(
    spans(
      'shell',
      `#!/bin/sh
. ./lib.sh
f() {
  echo "} $(g "}") \${x#\\}}" # }
  cat <<-'EOF'
\tg() {
\tEOF
}
function h
{
  case $x in a) echo;; esac
  i () ( cd /; )
}
`,
    ),
    ['function f 3-8', 'function h 9-13', 'function h/i 12-12'],
  )
  t.same(importsOf('shell', '. ./lib.sh\nsource "a.sh"\n'), ['1 ./lib.sh', '2 a.sh'])
})
