import { test } from 'tap'
import { buildContext } from '../../../src/resolver/context/build-context.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'
import { numbered, ranked, readerOf, scope } from './build-from.ts'

test(
  'of a long file the failing function comes with the headers of its scopes, and … stands for what is ' + 'between',
  async t => {
    const scopes = [
      scope('Job', 10, 900, { kind: 'class' }),
      scope('first', 20, 60, { parent: 0 }),
      scope('process', 500, 515, { parent: 0 }),
    ]
    const { context, sources } = buildContext([ranked('job.py', { highlightedLines: [510] })], {
      reader: readerOf({ 'job.py': { text: numbered(1000), scopes } }),
      maxTokens: 300,
      countTokens,
    })
    t.match(context, /^=== File: job\.py \[lines .*\] \(stack trace lines: 510\) ===\n {6}10 \| line 10\n {7}…\n/)
    t.match(context, /\n {5}500 \| line 500\n/)
    t.match(context, /\n>>> {2}510 \| line 510\n/)
    const [source] = sources.filter(({ highlightedLines }) => highlightedLines.length > 0)
    t.match(source, { symbol: 'Job.process', highlightedLines: [510] })
    t.ok((source?.startLine ?? 0) <= 500 && (source?.endLine ?? 0) >= 515)
    t.notOk(
      sources.some(({ startLine }) => startLine === 10),
      'a header is no source',
    )
  },
)
