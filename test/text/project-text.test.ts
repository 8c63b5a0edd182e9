import { test } from 'tap'
import { hitsText, projectsTable, projectText } from '../../src/text/project-text.ts'
import { plain } from '../../src/text/paint.ts'

type Project = Parameters<typeof projectText>[0]

const PROJECT = {
  project_name: 'shop',
  index_state: 'ready',
  files_indexed: 2,
  files_skipped: { too_large: 1 },
  chunks_total: 5,
  store_bytes: 2048,
  languages: { python: 1, go: 3 },
  embedding: { provider: 'local', model: 'lsa', dimensions: 256 },
  repositories: [
    {
      repository: 'shop',
      url: 'https://example.com/shop.git',
      branch: 'main',
      commit: '0123456789abcdef',
      history: 'full',
      indexed_at: '2026-01-01',
    },
  ],
} as unknown as Project

test('projects are a table, and none is said with what makes one', async t => {
  t.match(projectsTable([], plain), /faultline clone/)
  t.equal(projectsTable([PROJECT], plain), 'shop  ready  2 files  5 chunks  2.0 KiB  shop @ 0123456789')
})

test('all that is known of a project is a row each, larger counts first', async t => {
  const text = projectText(PROJECT, plain)
  t.match(text, /^Files +2 \(3 go, 1 python\)$/m)
  t.match(text, /^Left out +1 too large$/m)
  t.match(text, /^Repository +shop @ 0123456789 \(main\), history full, indexed 2026-01-01$/m)
  t.notMatch(text, /^Sync/m, 'a server of an earlier release says nothing of it')
  t.match(projectText({ ...PROJECT, sync: null }, plain), /^Sync +when asked for, or when a webhook tells of a push$/m)
  t.match(projectText({ ...PROJECT, sync: { every: '15m' } }, plain), /^Sync +every 15m$/m)
  t.match(projectText({ ...PROJECT, embedding: null }, plain), /^Embedding +-$/m)
  const problem = { detail: 'It is damaged.', fix: 'POST /clone' }
  t.match(projectText({ ...PROJECT, problem }, plain), /^Problem +It is damaged\.\n +POST \/clone$/m)
})

test('a hit shows its place and its lines, the telling ones marked', async t => {
  const hit = {
    repository: 'shop',
    path: 'a.py',
    start_line: 3,
    end_line: 4,
    score: 0.5,
    reason: 'lexical',
    snippet: 'one\ntwo\n',
    snippet_line: 3,
    highlighted_lines: [4],
  }
  const answer = (fields: object) => ({ data: [hit], complete: true, ...fields }) as Parameters<typeof hitsText>[0]
  t.equal(hitsText(answer({}), plain), 'a.py:3-4  lexical, score 0.500, shop\n    one\n>>> two')
  t.match(hitsText(answer({ complete: false }), plain), /too large/)
  t.equal(hitsText(answer({ data: [], notice: 'by\nwords' }), plain), 'Nothing found.\n\nby words')
})
