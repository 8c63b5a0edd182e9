import { test } from 'tap'
import { blockedPaths, refusals, withoutEdits } from '../../../../src/pipelines/steps/model/refused-edits.ts'

test('refused paths come with their reasons', async t => {
  const refusal = async (path: string) => (path === 'secret' ? 'no' : null)
  t.same([...(await refusals(['a', 'secret'], refusal))], [['secret', 'no']])
})

test('a file cannot be where a folder is, nor below a file', async t => {
  const blocked = blockedPaths(['src/a.py', 'b.py', 'gone'], {
    changed: new Map([
      ['src', ''],
      ['b.py/c.py', ''],
      ['gone/d.py', ''],
    ]),
    deleted: ['gone'],
  })
  t.same(
    [...blocked],
    [
      ['src', 'src is a folder.'],
      ['b.py/c.py', 'b.py is a file, no folder.'],
    ],
  )
})

test('edits of refused files are left out, also where a reply names them in another way', async t => {
  const reply = {
    files: [{ path: 'SECRET.txt' }, { path: 'kept.py' }],
    perhaps: [{ file: { path: 'SECRET.txt' } }, { file: { path: 'deploy' } }],
    diffs: [
      { oldPath: 'a/secret.txt', newPath: null },
      { oldPath: 'kept.py', newPath: 'kept.py' },
    ],
    problems: [],
  }
  const left = withoutEdits(reply as never, { of: new Map([['secret.txt', 'no']]), known: new Map([['kept.py', '']]) })
  t.same(left.files, [{ path: 'kept.py' }])
  t.same(left.diffs, [{ oldPath: 'kept.py', newPath: 'kept.py' }])
  t.same(left.perhaps, [{ file: { path: 'deploy' } }])
})
