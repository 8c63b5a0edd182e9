import { test } from 'tap'
import { searchLists } from '../../../src/resolver/search/lists.ts'
import { readQuery } from '../../../src/resolver/search/query.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'

test('files that say the same come in the order of their paths, in every list', t => {
  const paths = ['web/total.py', 'app/total.py', 'web/cart.py', 'app/cart.py']
  const reader = memoryCodeReader(
    Object.fromEntries(paths.map(path => [path, `def ${path.slice(4, -3)}():\n    return 1\n`])),
  )
  const lists = searchLists(readQuery('where is the total of a cart'), null, reader)
  t.ok(lists.length >= 3)
  for (const { files } of lists) {
    for (const [at, { score, path }] of files.entries()) {
      const next = files[at + 1]
      if (next !== undefined) t.ok(score > next.score || path < next.path, `${path} before ${next.path}`)
    }
  }
  t.end()
})
