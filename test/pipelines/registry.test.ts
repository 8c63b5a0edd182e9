import { test } from 'tap'
import { JOB_TYPES } from '../../src/contract/job-names.ts'
import { PIPELINES, prepareRequests, routedRequests } from '../../src/pipelines/registry.ts'
import { requestParts } from '../helpers/request-parts.ts'

test('every type of job is done as exactly one row says', async t => {
  const defined = Object.values(PIPELINES).flatMap(row => ('define' in row ? [row.type] : []))
  t.same(defined.toSorted(), [
    'bisect',
    'clone',
    'environment',
    'feature',
    'fix',
    'generate',
    'improve',
    'resolve',
    'self_heal',
    'task',
  ])
  t.same(defined.toSorted(), JOB_TYPES.toSorted(), 'and a list can be asked for just these')
})

test('a prepared request has the fields of its row, and completes bodies', async t => {
  const requests = prepareRequests(requestParts())
  t.same(Object.keys(requests), Object.keys(PIPELINES))
  t.equal(requests.improve.schema, PIPELINES.improve.schema)
  t.same(await requests.generate.complete({ prompt: 'a' }), { prompt: 'a' })
})

test('rows with a route can be dry-run', async t => {
  const routed = routedRequests(prepareRequests(requestParts()))
  t.same(
    routed.map(({ route }) => route.url),
    ['/generate', '/improve', '/self-heal', '/fix', '/bisect', '/tasks', '/features'],
  )
  t.ok(routed.every(({ dryRun }) => typeof dryRun === 'function'))
})
