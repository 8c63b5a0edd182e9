import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('stacks of errors have no header: the message stands above', async t => {
  const found = read('go-1.19-wrapped')
  t.same(
    found.map(({ head }) => head),
    ['root null: open /missing/file: no such file or directory\ncannot read', 'root null: cannot load\nsecond'],
  )
  t.same(found[0]?.frames.slice(-3), [
    'main.main /srv/app/go/wrapped/main.go:20',
    'main.load /srv/app/go/wrapped/main.go:16',
    'main.read /srv/app/go/wrapped/main.go:12',
  ])
})

test('an error that wraps another one: the inner stack is the cause of the outer', async t => {
  const text =
    'no file\nmain.read\n\t/srv/a.go:1\nmain.main\n\t/srv/a.go:9\ncannot load\nmain.load\n\t/srv/a.go:5\n' +
    'main.main\n\t/srv/a.go:9\n'
  t.same(
    readExceptions(text).map(({ head, frames }) => [head, frames.at(-1)]),
    [
      ['cause null: no file', 'main.read /srv/a.go:1'],
      ['root null: cannot load', 'main.load /srv/a.go:5'],
    ],
  )
})
