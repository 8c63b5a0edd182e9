import { test } from 'tap'
import { ciComment, commentMarker } from '../../../src/text/ci/comment.ts'
import { elsewhere, fault, faultOf, report } from '../../helpers/ci-report.ts'

test('a comment begins with what a bot finds it by, and has every fault with its code', async t => {
  const comment = ciComment(report([fault(), elsewhere()], { left: 1 }))
  t.ok(comment.startsWith(`${commentMarker('shop')}\n\n## \`TypeError\`: no price\n`), comment)
  t.match(comment, /\n>>> {2}4 \| b\(\)\n[^]*## `ConnectionError`: refused\n/)
  t.ok(comment.endsWith('The log holds 1 more fault than are shown.'))
  t.match(ciComment(report([])), /^<!-- faultline shop -->\n\nFaultline found no error/)
})

test('it fits a comment of GitHub: of what is too long the code is left out', async t => {
  const context = `=== File: src/app.js [lines 1-9000] ===\n${'x\n'.repeat(20_000)}`
  const faults = Array.from({ length: 20 }, (_, at) =>
    faultOf({ message: `@fault ${at} ${'*'.repeat(9_000)}` }, { context }),
  )
  const comment = ciComment(report(faults))
  t.ok(comment.length < 65_536, String(comment.length))
  for (let at = 0; at < 20; at++) t.match(comment, new RegExp(`fault ${at} `))
})

test('nobody is called by a trace or a model, and no mark of ours is forged', async t => {
  const answer = {
    text: 'Ask @root, or <!-- faultline x -->.\n```\n@decorator\n```',
    explanation: '',
    fix: '',
    patch: null,
    patch_status: 'none',
  }
  const comment = ciComment(report([faultOf({ message: 'hello @everyone a@b.c' }, { answer })]))
  t.notMatch(comment, /@everyone|@root/)
  t.match(comment, /a@b\.c/)
  t.match(comment, /\n@decorator\n/)
  t.equal(comment.split('<!--').filter((_, at, all) => at > 0 && !all[at - 1]?.endsWith('\\')).length, 1)
})
