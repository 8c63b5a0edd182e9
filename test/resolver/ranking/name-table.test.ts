import { test } from 'tap'
import { rankByNames } from '../../../src/resolver/ranking/rankers/names.ts'
import { FILES } from './named-files.ts'
import { queryOf } from './rankers/query-of.ts'
import { countedPaths } from '../../helpers/counted.ts'

test('files that say the same come in the order of their paths', t => {
  const { query, reader } = queryOf('cops Style/StringConcatenation and Lint/StringConcatenation fail', FILES)
  t.same(
    rankByNames(query, reader).qualified.map(({ path }) => path),
    ['lib/cop/lint/string_concatenation.rb', 'lib/cop/style/string_concatenation.rb'],
  )
  const { query: words, reader: same } = queryOf('the runner got a broken_pipe_error', FILES)
  t.same(
    rankByNames(words, same).messageNames.map(({ path }) => path),
    ['lib/errors/broken_pipe_error.rb', 'lib/runner.rb'],
  )
  t.end()
})

test('many qualified names that end in the name of many files are looked up at once', t => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    repository: 'shop',
    path: `d${i}/e/foo.py`,
    language: 'python',
    lines: 1,
    oid: '',
  }))
  const text = [...Array.from({ length: 500 }, (_, i) => `q${i}x.e.foo`), 'd7.e.foo'].reverse().join(' ')
  const { query } = queryOf(text, FILES)
  const { files, reads } = countedPaths(many)
  const { qualified } = rankByNames(query, { files: () => files })
  t.ok(reads() < 20 * many.length, `${reads()} looks at a path, not one for each name`)
  t.match(qualified[0], { path: 'd7/e/foo.py', score: 1, why: 'the text names d7.e.foo' })
  t.end()
})
