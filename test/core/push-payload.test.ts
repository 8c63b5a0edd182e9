import fc from 'fast-check'
import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { readPush } from '../../src/core/push-payload.ts'
import { runs } from '../helpers/property-runs.ts'

const json = { contentType: 'application/json', event: 'push' }
const read = (body: unknown, from = json) => readPush(Buffer.from(JSON.stringify(body)), from)
const after = 'a'.repeat(40)

test('the payloads of each forge name a branch and the addresses of the repository', t => {
  const repository = { clone_url: 'https://h/a/b.git', ssh_url: 'git@h:a/b.git', url: 'https://h/a/b', id: 7 }
  t.strictSame(read({ ref: 'refs/heads/feature/x', after, repository }), {
    kind: 'push',
    branch: 'feature/x',
    urls: ['https://h/a/b.git', 'git@h:a/b.git', 'https://h/a/b'],
  })
  const project = { git_http_url: 'https://h/a/b.git', git_ssh_url: 'git@h:a/b.git' }
  const gitlab = { object_kind: 'push', ref: 'refs/heads/main', after, project }
  t.match(read(gitlab, { ...json, event: 'Push Hook' }), { kind: 'push', urls: Object.values(project) })
  const form = new URLSearchParams({ payload: JSON.stringify({ ref: 'refs/heads/main', after, repository }) })
  t.match(readPush(Buffer.from(String(form)), { contentType: 'application/x-www-form-urlencoded', event: 'push' }), {
    kind: 'push',
    branch: 'main',
  })
  t.end()
})

test('tags, deleted branches and other events are no push to a branch', t => {
  for (const body of [
    { zen: 'ping' },
    { ref: 'refs/tags/v1', after },
    { ref: 'refs/heads/main', after: '0'.repeat(40) },
    { ref: 'refs/heads/main', after, deleted: true },
    { ref: 'refs/heads/main', object_kind: 'tag_push' },
    { ref: 7 },
  ]) {
    t.match(read(body), { kind: 'other' }, JSON.stringify(body))
  }
  t.match(read({ ref: 'refs/heads/main', after }, { ...json, event: 'create' }), { kind: 'other' })
  t.end()
})

test('whatever is sent is read or refused as no JSON', t => {
  const part = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('{"ref":', 'payload=', '[]', '{"repository":{"url":1}}'),
  )
  fc.assert(
    fc.property(part, fc.boolean(), (text, isForm) => {
      try {
        const contentType = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
        return ['push', 'other'].includes(readPush(Buffer.from(text), { contentType, event: 'push' }).kind)
      } catch (error) {
        return error instanceof FaultlineError && error.code === 'MALFORMED_JSON'
      }
    }),
    { numRuns: runs(1_000) },
  )
  t.end()
})
