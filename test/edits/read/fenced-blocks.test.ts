import { test } from 'tap'
import { fencedBlocks } from '../../../src/edits/read/fenced-blocks.ts'
import { scaled } from '../../helpers/property-runs.ts'

test('the bodies of all fences are given in their order, whatever they are called', t => {
  t.same(
    fencedBlocks(
      'Here:\n```bash\nset -e\n```\nthen\n\n~~~\nnpm i\nnode .\n~~~\nrun.sh\n````sh\ncat <<EOF\n```\nEOF\n````\n',
    ),
    ['set -e\n', 'npm i\nnode .\n', 'cat <<EOF\n```\nEOF\n'],
  )
  t.same(fencedBlocks('```\r\npython3 main.py\r\n```\r\n'), ['python3 main.py\n'])
  t.same(fencedBlocks('1. First\n   ```sh\n   echo a\n     echo b\n   ```\n'), ['echo a\n  echo b\n'])
  t.same(fencedBlocks('```\n```\n'), [''])
  t.end()
})

test('a block that is not closed is none, and neither is text without fences', t => {
  t.same(fencedBlocks('```\necho a\n```\n```sh\necho b\n'), ['echo a\n'])
  t.same(fencedBlocks('python3 main.py\n'), [])
  t.same(fencedBlocks(''), [])
  t.same(
    fencedBlocks('<think>\n```\nrm -rf x\n```\n</think>\n```\necho a\n```\n'),
    ['echo a\n'],
    'what was only thought is no command',
  )
  t.end()
})

test('ten megabytes of fences are as many empty blocks', t => {
  const count = scaled(1_250_000)
  t.equal(fencedBlocks('```\n```\n'.repeat(count)).length, count)
  t.end()
})
