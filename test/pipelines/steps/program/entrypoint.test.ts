import { test } from 'tap'
import { ENTRYPOINT, entrypointNotFound } from '../../../../src/pipelines/steps/program/entrypoint.ts'

test('a missing script is named as it was given', async t => {
  t.match(entrypointNotFound(ENTRYPOINT), { code: 'ENTRYPOINT_NOT_FOUND', message: /^There is no "run\.sh" among/ })
})
