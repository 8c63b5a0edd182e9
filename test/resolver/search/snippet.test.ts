import { test } from 'tap'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { ask } from './search-in.ts'

test('a snippet is twelve lines around the one that says most, with what is invisible shown', async t => {
  const {
    hits: [hit],
  } = await ask('line 650', { files: { 'long.py': numberedFile(900) }, size: 100 })
  t.match(hit, { snippetLine: 644, highlightedLines: [650] })
  t.equal(hit?.snippet.split('\n').length, 12)
  t.match((await ask('trick', { files: { 'a.py': 'trick \u202E\n' } })).hits[0]?.snippet, '\\u202E')
})
