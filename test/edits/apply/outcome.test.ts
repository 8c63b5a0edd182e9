import { test } from 'tap'
import { blockedProblem, done, refused } from '../../../src/edits/apply/outcome.ts'

test('an edit of a whole file is applied or rejected, and never both', async t => {
  t.same(done('a.py'), { applied: [{ path: 'a.py', hunk: null, how: 'applied' }], problems: [] })
  t.match(done('a.py', 'repeated'), { applied: [{ how: 'repeated' }] })
  const problem = blockedProblem('a/b.py', 'x')
  t.match(problem, { path: 'a/b.py', reason: 'bad_path', detail: /^a\/b\.py cannot be a file/, hunkText: 'x' })
  t.same(refused(problem), { applied: [], problems: [problem] })
})
