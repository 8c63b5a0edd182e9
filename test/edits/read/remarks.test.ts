import { test } from 'tap'
import { readReply } from '../../../src/edits/read/read-reply.ts'

test('lines outside of blocks say what is no file and what is removed on purpose', async t => {
  const said = (text: string) => {
    const { notFiles, removals } = readReply(text)
    return { notFiles, removals }
  }
  t.same(said('It is done.\n'), { notFiles: 0, removals: [] })
  t.same(said('NOT A FILE\n**NOT A FILE**\nThis is not a file of mine\n').notFiles, 2)
  t.same(said('REMOVED src/app.js: app.listen(3000)\n- REMOVED `a.py`: `@cache`\n').removals, [
    { path: 'src/app.js', what: 'app.listen(3000)' },
    { path: 'a.py', what: '`@cache`' },
  ])
  for (const line of ['REMOVED app.js:', 'REMOVED the old code: it was bad', 'I REMOVED a.js: x', 'Removed a.js: x']) {
    t.same(said(`${line}\n`).removals, [], line)
  }
})

test('no more than 200 removals are read', async t => {
  const lines = Array.from({ length: 201 }, (_, i) => `REMOVED a.js: line ${i}\n`)
  const { removals } = readReply(lines.join(''))
  t.equal(removals.length, 200)
  t.match(removals.at(-1), { what: 'line 199' })
})

test('the same words in a block are its content', async t => {
  const { files, notFiles, removals } = readReply('a.txt\n```\nNOT A FILE\nREMOVED b.js: x\n```\n')
  t.same({ notFiles, removals }, { notFiles: 0, removals: [] })
  t.match(files, [{ path: 'a.txt', content: 'NOT A FILE\nREMOVED b.js: x\n' }])
})
