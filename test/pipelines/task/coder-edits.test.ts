import { test } from 'tap'
import type { FileBlock } from '../../../src/edits/edit.ts'
import { emptyReply } from '../../../src/edits/read/reading.ts'
import { withoutUnseen } from '../../../src/pipelines/task/coder-edits.ts'

const KNOWN = {
  paths: new Set(['src/cart.js', 'src/till.js', 'lib/rates.js']),
  whole: new Set(['src/cart.js']),
  gone: new Set<string>(),
}
const block = (path: string, more: { isNew?: true } = {}): FileBlock => ({
  path,
  content: 'export const a = 1\n',
  named: 'line',
  line: 0,
  ...more,
})

/** The file that a whole one is refused for, by its name; null where it is taken. */
function refusedFor(file: FileBlock): string | null {
  const perhaps = [{ file, isDoubtful: false, otherwise: null }]
  const { files, perhaps: left, problems } = withoutUnseen({ ...emptyReply(), files: [file], perhaps }, KNOWN)
  if (files.length !== left.length || files.length === problems.length) return 'neither taken nor refused'
  return problems[0]?.path ?? null
}

test('a whole file is taken of what was shown whole and of what is new, also by the end of its path', async t => {
  t.equal(refusedFor(block('src/cart.js')), null, 'it was shown whole')
  t.equal(refusedFor(block('src/till.js')), 'src/till.js')
  t.equal(refusedFor(block('src/till.js', { isNew: true })), 'src/till.js', 'it is there, whatever is said of it')
  t.equal(refusedFor(block('src/gate.js')), null, 'no other has the name')
  t.equal(refusedFor(block('cart.js')), null)
  t.equal(refusedFor(block('till.js')), 'src/till.js')
  t.equal(refusedFor(block('till.js', { isNew: true })), null)
  t.equal(refusedFor(block('other/till.js')), null, 'another file of the name')
  t.equal(refusedFor(block('l.js')), null, 'an end of a name is none')
})
