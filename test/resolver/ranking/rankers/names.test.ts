import { test } from 'tap'
import { rankByNames } from '../../../../src/resolver/ranking/rankers/names.ts'
import { FILES } from '../named-files.ts'
import { queryOf } from './query-of.ts'

test(
  'a word of the message, or else of the text, that is the name of a file finds it, whatever its case and ' +
    'separators',
  t => {
    for (const text of [
      'the StringConcatenation rule fails',
      "lib/runner.rb:1:in `run': StringConcatenation fails (RuntimeError)",
    ]) {
      const { query, reader } = queryOf(text, FILES)
      t.same(
        rankByNames(query, reader).messageNames.map(({ path }) => path),
        ['lib/cop/lint/string_concatenation.rb', 'lib/cop/style/string_concatenation.rb'],
        text,
      )
    }
    t.end()
  },
)

test('a qualified name means the file whose path ends in it', t => {
  const { query, reader } = queryOf('An error occurred while Style/StringConcatenation cop was inspecting a.rb', FILES)
  t.match(rankByNames(query, reader).qualified, [
    { path: 'lib/cop/style/string_concatenation.rb', score: 1, why: 'the text names Style/StringConcatenation' },
  ])
  t.equal(rankByNames(query, reader).qualified.length, 1)
  t.end()
})

test('where an exception is defined is not where it comes from', t => {
  const { query, reader } = queryOf("lib/runner.rb:1:in `run': no reader (BrokenPipeError)", FILES)
  t.notOk(rankByNames(query, reader).messageNames.some(({ path }) => path.includes('broken_pipe')))
  t.end()
})

test('an exception is not taken for where it comes from by its qualified name either', t => {
  const { query, reader } = queryOf("lib/runner.rb:1:in `run': no reader (Errors::BrokenPipeError)", FILES)
  t.same(
    rankByNames(query, reader).qualified.map(({ path }) => path),
    ['lib/runner.rb'],
  )
  t.end()
})
