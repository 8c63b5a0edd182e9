import { test } from 'tap'
import { CI_LOG_REQUEST, RESOLVE_REQUEST } from '../../../src/pipelines/resolve/body.ts'
import { fitsSchema } from '../../helpers/fits-schema.ts'

test('jobs of a log and of a trace have one type; their bodies tell them apart', async t => {
  const log = { project_name: 'shop', log: 'x' }
  const trace = { project_name: 'shop', stacktrace: 'x' }
  t.equal(CI_LOG_REQUEST.type, RESOLVE_REQUEST.type)
  t.ok(fitsSchema(CI_LOG_REQUEST.schema, log))
  t.notOk(fitsSchema(CI_LOG_REQUEST.schema, trace))
  t.ok(fitsSchema(RESOLVE_REQUEST.schema, trace))
  t.notOk(fitsSchema(RESOLVE_REQUEST.schema, log))
  t.ok(CI_LOG_REQUEST.isFor(log))
  t.notOk(CI_LOG_REQUEST.isFor(trace))
})
