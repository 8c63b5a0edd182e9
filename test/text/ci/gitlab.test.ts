import { test } from 'tap'
import { codeQualityReport } from '../../../src/text/ci/gitlab.ts'
import { frame } from '../../helpers/answers.ts'
import { elsewhere, fault, faultOf, report, source } from '../../helpers/ci-report.ts'

const SEVERITIES = new Set(['info', 'minor', 'major', 'critical', 'blocker'])

test('places of the project are issues as GitLab documents them', async t => {
  const issues = codeQualityReport(report([faultOf({ count: 3 }), faultOf({ fingerprint: 'ef56' }), elsewhere()]))
  t.equal(issues.length, 4)
  t.match(issues[0], {
    description: 'TypeError: no price (3 times)',
    check_name: 'TypeError',
    severity: 'critical',
    location: { path: 'src/app.js', lines: { begin: 4, end: 4 } },
  })
  t.match(issues[1], { severity: 'minor', location: { path: 'src/prices.js', lines: { begin: 1, end: 9 } } })
  for (const { description, check_name: name, fingerprint, severity, location } of issues) {
    t.ok(SEVERITIES.has(severity))
    t.match(fingerprint, /^[0-9a-f]{64}$/)
    t.ok(description.length > 0 && name.length > 0)
    t.ok(!location.path.startsWith('/') && Number.isInteger(location.lines.begin) && location.lines.begin >= 1)
  }
  t.equal(new Set(issues.map(({ fingerprint }) => fingerprint)).size, issues.length, 'each has one of its own')
})

test('a fault keeps its fingerprint when its line moves, and one without any has one', async t => {
  const at = (line: number, fingerprint: string | null) =>
    codeQualityReport(
      report([
        faultOf({ fingerprint }, { frames: [frame({ in_project: true, path: 'a.js', code_line: line })], sources: [] }),
      ]),
    ).map(issue => issue.fingerprint)
  t.same(at(3, 'ab'), at(30, 'ab'))
  t.not(at(3, 'ab')[0], at(3, 'cd')[0])
  t.match(at(3, null)[0], /^[0-9a-f]{64}$/)
})

test('equal issues are one', async t => {
  t.equal(codeQualityReport(report([fault({ sources: [source(), source()] })])).length, 2)
})
