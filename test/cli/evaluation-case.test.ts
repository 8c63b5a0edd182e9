import { test } from 'tap'
import { evaluationCase, repoName } from '../../src/cli/evaluation-case.ts'

const URLS: ReadonlyArray<readonly [url: string, name: string]> = [
  ['https://github.com/pallets/flask.git', 'pallets/flask'],
  ['https://github.com/pallets/flask', 'pallets/flask'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['ssh://git@example.com:2222/group/sub/shop.git/', 'sub/shop'],
  ['/srv/git/shop.git', 'shop'],
  ['file:///srv/git/shop', 'shop'],
  ['../shop', 'shop'],
]

type Answer = Parameters<typeof evaluationCase>[1]
type Project = Parameters<typeof evaluationCase>[2]

const frame = (path: string | null, repository: string | null = 'shop') => ({ path, repository })
const answer = (fields: object = {}) =>
  ({
    commit: 'a'.repeat(40),
    frames: [frame(null, null), frame('src/cart.py')],
    exceptions: [{ relation: 'root', language: 'python' }],
    stacktrace: 'Traceback',
    ...fields,
  }) as unknown as Answer
const project = {
  project_name: 'shop',
  repositories: [
    { repository: 'other', url: 'https://github.com/acme/other', commit: 'b'.repeat(40) },
    { repository: 'shop', url: 'https://github.com/acme/shop', commit: 'c'.repeat(40) },
  ],
} as unknown as Project
const judged = (...feedback: object[]) => ({
  id: 'res_1',
  feedback: feedback.map(one => ({ at: 'now', helpful: false, comment: null, actual_path: null, ...one })),
})

test('a repository is named as folders of clones name it', t => {
  for (const [url, name] of URLS) t.equal(repoName(url), name, url)
  t.end()
})

test('a judged answer becomes a case with the files that people named', t => {
  const row = judged({ actual_path: 'src/prices.py' }, { helpful: true, comment: 'ok', actual_path: 'src/prices.py' })
  t.same(evaluationCase(row, answer(), project), {
    id: 'res_1',
    repo: 'acme/shop',
    language: 'python',
    base_commit: 'a'.repeat(40),
    trace: 'Traceback',
    gold_files: ['src/prices.py'],
    gold_lines: [],
    in_trace: false,
    frames_in_repo: [],
    helpful: true,
    note: 'ok',
    source: 'feedback',
  })
  t.match(evaluationCase(judged({ actual_path: 'src/cart.py' }), answer(), project), { in_trace: true, helpful: false })
  t.match(evaluationCase(row, answer({ frames: [], commit: 'b'.repeat(40), exceptions: [] }), project), {
    repo: 'acme/other',
    language: 'unknown',
  })
  t.match(evaluationCase(row, answer({ frames: [] }), project), { repo: 'acme/other' })
  t.match(evaluationCase(row, answer(), { project_name: 'gone', repositories: [] }), { repo: 'gone' })
  t.end()
})

test('without the file that had to change, or without the trace, there is no case', t => {
  const named = { actual_path: 'src/prices.py' }
  t.equal(evaluationCase(judged({ helpful: true }), answer(), project), null)
  for (const stacktrace of [null, undefined, '']) {
    t.equal(evaluationCase(judged(named), answer({ stacktrace }), project), null)
  }
  t.end()
})
