import { test } from 'tap'
import { changedSinceSentence, linesText } from '../../src/text/changed-since.ts'
import { ciReport } from '../../src/text/ci/report.ts'
import { resolutionMarkdown } from '../../src/text/markdown/resolution.ts'
import { later } from '../helpers/answers.ts'
import { fault, report } from '../helpers/ci-report.ts'

test('lines that follow each other are a range', async t => {
  t.equal(linesText(later({ lines: [1, 2, 3, 7, 9, 10] })), 'src/app.js:1-3,7,9-10')
  t.equal(linesText(later()), 'src/app.js:4')
})

test('later changes are a sentence or two; what is not known is none', async t => {
  t.equal(changedSinceSentence({}), null)
  t.equal(changedSinceSentence({ changed_since: [], failing_line_gone: false }), null)
  t.equal(
    changedSinceSentence({ changed_since: [later({ summary: 'Mend\nit' })], failing_line_gone: true }),
    'Already fixed? The failing line is not there any more in the indexed code. ' +
      'The code was changed since by abcdef0123 "Mend it".',
  )
  const many = { changed_since: [later(), later(), later(), later(), later()], failing_line_gone: false }
  t.match(changedSinceSentence(many), /^The code was .*, abcdef0123 "Mend it" and 2 more\.$/)
})

test('every report to CI that has sentences says so', async t => {
  const faults = report([fault({ changed_since: [later({ summary: 'See [it](x) *now*' })], failing_line_gone: true })])
  t.match(ciReport('github', faults), /::error .*Already fixed\? .*abcdef0123 "See \[it\]\(x\) \*now\*"/)
  t.match(ciReport('sarif', faults), /Already fixed\? .*abcdef0123 \\"See \[it\] \(x\)/)
  t.match(ciReport('markdown', faults), '### Already fixed?')
})

test('in Markdown a subject is no markup', async t => {
  const changed = resolutionMarkdown(fault({ changed_since: [later({ summary: '*Mend* `it`' })] }))
  t.match(changed, '### Changed since\n\n- `abcdef0123` 2026-03-01 \\*Mend\\* \\`it\\` (`src/app.js:4`)')
  t.notMatch(changed, 'Already fixed')
  t.notMatch(resolutionMarkdown(fault({ changed_since: [], failing_line_gone: false })), 'since')
})
