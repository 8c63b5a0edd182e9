import { test } from 'tap'
import { committedFiles } from '../../../../src/pipelines/steps/base/committed-files.ts'
import { setup } from '../../../repos/objects/commit-to.ts'

const FILES = {
  'a.py': 'one\n',
  'b.bin': Buffer.from([1, 0, 2]),
  'dir/ü ü.py': 'zwei\n',
  'huge.txt': 'x\n'.repeat(600_000),
  link: { symlink: 'a.py' },
  '.env': 'KEY=1\n',
}

test('many files are read by one process; secrets, binaries, links and huge ones are not there', async t => {
  const { reader, base: commit } = await setup(t, { files: FILES })
  let readings = 0
  const counting: typeof reader = {
    ...reader,
    readTexts: (...args) => {
      readings++
      return reader.readTexts(...args)
    },
  }
  const base = committedFiles(counting, { repository: 'shop', commit })
  const wanted = ['dir/ü ü.py', 'b.bin', 'a.py', 'huge.txt', 'link', '.env', '../a.py', 'none']
  const texts = new Map([
    ['dir/ü ü.py', 'zwei\n'],
    ['a.py', 'one\n'],
  ])
  t.same(await base.readAll(wanted), texts)
  t.same([...(await base.readAll(wanted)).keys()], [...texts.keys()], 'in the order that was asked for')
  t.equal(await base.read('a.py'), 'one\n')
  t.equal(readings, 1, 'what was read is kept, that it is no text as well')
  t.same(await base.readAll([]), new Map())
})

test('the sizes are in bytes, of the paths that there are', async t => {
  const { reader, base: commit } = await setup(t, { files: FILES })
  const base = committedFiles(reader, { repository: 'shop', commit })
  t.same(
    [...(await base.sizes())],
    [
      ['a.py', 4],
      ['b.bin', 3],
      ['dir/ü ü.py', 5],
      ['huge.txt', 1_200_000],
    ],
  )
  t.same([...(await base.sizes()).keys()], await base.paths())
})
