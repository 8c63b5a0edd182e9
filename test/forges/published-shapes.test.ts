// What Gitea's Swagger document and sources, and Bitbucket Cloud's OpenAPI document, say of the calls that we make, as
// one sample of each: what is sent, and an answer with the fields that we read and some that we do not.
import { test, type Test } from 'tap'
import type { Forge } from '../../src/forges/forge.ts'
import { forgeOf, SIGNAL } from '../helpers/forge-client.ts'

interface Sample {
  /** Method and path below the API, without the query. */
  call: string
  /** The body that is sent. */
  sent?: unknown
  status: number
  reply: unknown
}

/** Answers each call of one piece of work with its sample, and compares what was sent. */
async function play<Result>(
  t: Test,
  { kind, samples }: { kind: 'gitea' | 'bitbucket'; samples: Sample[] },
  work: (forge: Forge) => Promise<Result>,
): Promise<Result> {
  const { forge, server } = await forgeOf(t, kind)
  server.script.push(...samples.map(({ status, reply }) => ({ status, body: reply })))
  const result = await work(forge)
  const calls = server.calls.map(({ call, body }) => ({ call, body }))
  t.same(
    calls,
    samples.map(({ call, sent = null }) => ({ call, body: sent })),
  )
  return result
}

const GITEA_USER = { id: 7, login: 'ann', login_name: '', full_name: 'Ann', email: 'ann@noreply.example.com' }
const GITEA_PULL = {
  id: 41,
  url: 'https://git.example.com/acme/shop/pulls/5',
  number: 5,
  user: GITEA_USER,
  title: 'WIP: Fix it',
  body: 'Why',
  labels: [],
  milestone: null,
  assignees: null,
  requested_reviewers: null,
  requested_reviewers_teams: null,
  state: 'open',
  draft: true,
  is_locked: false,
  html_url: 'https://git.example.com/acme/shop/pulls/5',
  mergeable: true,
  merged: false,
  merged_at: null,
  base: { label: 'main', ref: 'main', sha: 'a'.repeat(40), repo_id: 3, repo: { id: 3, full_name: 'Acme/Shop' } },
  head: { label: 'faultline/1', ref: 'faultline/1', sha: 'b'.repeat(40), repo_id: 3, repo: { full_name: 'Acme/Shop' } },
  merge_base: 'a'.repeat(40),
  due_date: null,
  closed_at: null,
}
/** One whose fork is gone: its head is the ref that the server keeps. */
const GITEA_GONE = {
  ...GITEA_PULL,
  number: 4,
  head: { label: '', ref: 'refs/pull/4/head', sha: 'c'.repeat(40), repo_id: 0, repo: null },
}
const GITEA_COMMENT = {
  id: 11,
  html_url: 'https://git.example.com/acme/shop/pulls/5#issuecomment-11',
  pull_request_url: 'https://git.example.com/acme/shop/pulls/5',
  issue_url: '',
  user: GITEA_USER,
  original_author: '',
  original_author_id: 0,
  body: 'Hm.',
  assets: [],
  created_at: '2026-01-01T00:00:00Z',
}
const GITEA = '/repos/acme/shop'

test('gitea: requests are opened, listed and changed as published', async t => {
  const ours = { number: 5, url: GITEA_PULL.html_url, head: 'faultline/1', base: 'main', isOwn: true, body: 'Why' }
  const opened = await play(
    t,
    {
      kind: 'gitea',
      samples: [
        {
          call: `POST ${GITEA}/pulls`,
          sent: { head: 'faultline/1', base: 'main', title: 'WIP: Fix it', body: 'Why' },
          status: 201,
          reply: GITEA_PULL,
        },
      ],
    },
    forge => forge.open({ head: 'faultline/1', base: 'main', title: 'Fix it', body: 'Why', isDraft: true }, SIGNAL),
  )
  t.match(opened, ours)
  const list = { call: `GET ${GITEA}/pulls`, status: 200 }
  const found = await play(
    t,
    {
      kind: 'gitea',
      samples: [
        { ...list, reply: [GITEA_GONE, GITEA_PULL] },
        { ...list, reply: [] },
      ],
    },
    forge => forge.findByHead('faultline/1', SIGNAL),
  )
  t.match(found, ours)
  await play(
    t,
    {
      kind: 'gitea',
      samples: [{ call: `PATCH ${GITEA}/pulls/5`, sent: { title: 'T', body: 'B' }, status: 201, reply: GITEA_PULL }],
    },
    forge => forge.update(5, { title: 'T', body: 'B' }, SIGNAL),
  )
})

test('gitea: people are asked and comments written as published', async t => {
  const asked = await play(
    t,
    {
      kind: 'gitea',
      samples: [
        {
          call: `POST ${GITEA}/pulls/5/requested_reviewers`,
          sent: { reviewers: ['ann'] },
          status: 201,
          reply: [{ id: 1, user: GITEA_USER, team: null, state: 'REQUEST_REVIEW', body: '', comments_count: 0 }],
        },
        {
          call: `POST ${GITEA}/pulls/5/requested_reviewers`,
          sent: { reviewers: ['bob'] },
          status: 422,
          reply: { message: 'poster of pr can not be reviewer', url: 'https://git.example.com/api/swagger' },
        },
      ],
    },
    forge =>
      forge.askReviewers(
        5,
        [
          { id: 'ann', name: 'ann' },
          { id: 'bob', name: 'bob' },
        ],
        SIGNAL,
      ),
  )
  t.same(asked, [{ id: 'ann', name: 'ann' }])
  const comments = await play(
    t,
    { kind: 'gitea', samples: [{ call: `GET ${GITEA}/issues/5/comments`, status: 200, reply: [GITEA_COMMENT] }] },
    forge => forge.comments(5, SIGNAL),
  )
  t.same(comments, [{ id: '11', body: 'Hm.', author: 'ann' }])
  await play(
    t,
    {
      kind: 'gitea',
      samples: [
        { call: `POST ${GITEA}/issues/5/comments`, sent: { body: 'A' }, status: 201, reply: GITEA_COMMENT },
        { call: `PATCH ${GITEA}/issues/comments/11`, sent: { body: 'B' }, status: 200, reply: GITEA_COMMENT },
      ],
    },
    async forge => {
      await forge.addComment(5, 'A', SIGNAL)
      await forge.updateComment(5, '11', 'B', SIGNAL)
    },
  )
  const author = await play(
    t,
    {
      kind: 'gitea',
      samples: [
        {
          call: `GET ${GITEA}/git/commits/${'a'.repeat(40)}`,
          status: 200,
          reply: { sha: 'a'.repeat(40), commit: { author: { name: 'Ann', email: 'a@b' } }, author: GITEA_USER },
        },
      ],
    },
    forge => forge.authorOf('a'.repeat(40), SIGNAL),
  )
  t.same(author, { id: 'ann', name: 'ann' })
})

const UUID = '{504c3b62-8120-4f0c-a7bc-87800b9d6f70}'
const OTHER = '{11111111-8120-4f0c-a7bc-87800b9d6f70}'
const BITBUCKET_USER = { type: 'user', uuid: UUID, display_name: 'Ann', nickname: 'ann', account_id: '1:2', links: {} }
const BITBUCKET_PULL = {
  type: 'pullrequest',
  id: 5,
  title: 'Fix it',
  description: 'Why',
  summary: { type: 'rendered', raw: 'Why', markup: 'markdown', html: '<p>Why</p>' },
  state: 'OPEN',
  draft: true,
  queued: false,
  links: {
    self: { href: 'https://api.bitbucket.org/2.0/repositories/acme/shop/pullrequests/5' },
    html: { href: 'https://bitbucket.org/acme/shop/pull-requests/5' },
  },
  author: BITBUCKET_USER,
  source: {
    branch: { name: 'faultline/1' },
    commit: { type: 'commit', hash: 'bbbbbbbbbbbb' },
    repository: { type: 'repository', full_name: 'acme/shop', uuid: OTHER },
  },
  destination: {
    branch: { name: 'main' },
    commit: { hash: 'aaaaaaaaaaaa' },
    repository: { type: 'repository', full_name: 'acme/shop', uuid: OTHER },
  },
  merge_commit: null,
  close_source_branch: false,
  comment_count: 0,
  task_count: 0,
  reason: '',
}
/** One whose fork is gone. */
const BITBUCKET_GONE = { ...BITBUCKET_PULL, id: 4, source: { ...BITBUCKET_PULL.source, repository: null } }
const BITBUCKET_COMMENT = {
  type: 'pullrequest_comment',
  id: 11,
  content: { type: 'rendered', raw: 'Hm.', markup: 'markdown', html: '<p>Hm.</p>' },
  user: BITBUCKET_USER,
  deleted: false,
  pending: false,
  links: {},
}
const BITBUCKET = '/repositories/acme/shop'

test('bitbucket: requests are opened, listed and changed as published', async t => {
  const ours = { number: 5, url: BITBUCKET_PULL.links.html.href, head: 'faultline/1', base: 'main', isOwn: true }
  const opened = await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        {
          call: `POST ${BITBUCKET}/pullrequests`,
          sent: {
            title: 'Fix it',
            description: 'Why',
            source: { branch: { name: 'faultline/1' } },
            destination: { branch: { name: 'main' } },
            draft: true,
          },
          status: 201,
          reply: BITBUCKET_PULL,
        },
      ],
    },
    forge => forge.open({ head: 'faultline/1', base: 'main', title: 'Fix it', body: 'Why', isDraft: true }, SIGNAL),
  )
  t.match(opened, ours)
  const list = { call: `GET ${BITBUCKET}/pullrequests`, status: 200 }
  const next = 'https://api.bitbucket.org/2.0/repositories/acme/shop/pullrequests?page=2'
  const found = await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        { ...list, reply: { size: 2, page: 1, pagelen: 1, next, values: [BITBUCKET_GONE] } },
        { ...list, reply: { size: 2, page: 2, pagelen: 1, previous: next, values: [BITBUCKET_PULL] } },
      ],
    },
    forge => forge.findByHead('faultline/1', SIGNAL),
  )
  t.match(found, ours)
  const at = `${BITBUCKET}/pullrequests/5`
  const whole = { ...BITBUCKET_PULL, reviewers: [BITBUCKET_USER], participants: [] }
  await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        { call: `GET ${at}`, status: 200, reply: whole },
        {
          call: `PUT ${at}`,
          sent: { title: 'T', description: 'B', draft: true, close_source_branch: false, reviewers: [{ uuid: UUID }] },
          status: 200,
          reply: whole,
        },
      ],
    },
    forge => forge.update(5, { title: 'T', body: 'B' }, SIGNAL),
  )
})

test('bitbucket: people are asked and comments written as published', async t => {
  const at = `${BITBUCKET}/pullrequests/5`
  const bob = { id: OTHER, name: 'bob' }
  const asked = await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        { call: `GET ${at}`, status: 200, reply: { ...BITBUCKET_PULL, reviewers: [BITBUCKET_USER] } },
        {
          call: `PUT ${at}`,
          sent: {
            title: 'Fix it',
            description: 'Why',
            draft: true,
            close_source_branch: false,
            reviewers: [{ uuid: UUID }, { uuid: OTHER }],
          },
          status: 200,
          reply: BITBUCKET_PULL, // the list of reviewers may be left out
        },
      ],
    },
    forge => forge.askReviewers(5, [bob], SIGNAL),
  )
  t.same(asked, [bob])
  const comments = await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        {
          call: `GET ${at}/comments`,
          status: 200,
          reply: { pagelen: 50, values: [{ ...BITBUCKET_COMMENT, id: 10, deleted: true }, BITBUCKET_COMMENT] },
        },
      ],
    },
    forge => forge.comments(5, SIGNAL),
  )
  t.same(comments, [{ id: '11', body: 'Hm.', author: UUID }])
  await play(
    t,
    {
      kind: 'bitbucket',
      samples: [
        { call: `POST ${at}/comments`, sent: { content: { raw: 'A' } }, status: 201, reply: BITBUCKET_COMMENT },
        { call: `PUT ${at}/comments/11`, sent: { content: { raw: 'B' } }, status: 200, reply: BITBUCKET_COMMENT },
      ],
    },
    async forge => {
      await forge.addComment(5, 'A', SIGNAL)
      await forge.updateComment(5, '11', 'B', SIGNAL)
    },
  )
  const commit = `${BITBUCKET}/commit/${'a'.repeat(40)}`
  for (const { user, person } of [
    { user: BITBUCKET_USER, person: { id: UUID, name: 'ann' } },
    { user: null, person: null },
  ]) {
    const reply = { type: 'commit', hash: 'a'.repeat(40), author: { type: 'author', raw: 'Ann <a@b>', user } }
    const samples = [{ call: `GET ${commit}`, status: 200, reply }]
    t.same(await play(t, { kind: 'bitbucket', samples }, forge => forge.authorOf('a'.repeat(40), SIGNAL)), person)
  }
})
