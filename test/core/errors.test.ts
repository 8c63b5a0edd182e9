import { test } from 'tap'
import { FaultlineError, fromPlainError, toPlainError } from '../../src/core/errors.ts'

/** As between threads, where all else of an error is lost. */
const carried = (error: unknown): Error => fromPlainError(structuredClone(toPlainError(error)))

test('an expected error keeps its code, its fix, its stack and what caused it', async t => {
  const cause = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const error = new FaultlineError('DISK_FULL', 'The disk is full.', 'Free some space.', { cause })
  const same = carried(error)
  t.ok(same instanceof FaultlineError)
  t.match(same, { code: 'DISK_FULL', message: 'The disk is full.', fix: 'Free some space.', stack: error.stack })
  t.match(same.cause, { code: 'ENOSPC', message: 'no space left', stack: cause.stack })
})

test('any other error keeps the code that the system gave it, and does not become an expected one', async t => {
  const same = carried(Object.assign(new Error('not there'), { code: 'NOT_FOUND' }))
  t.notOk(same instanceof FaultlineError)
  t.match(same, { code: 'NOT_FOUND', message: 'not there' })
  t.notOk('code' in carried(new Error('a bug')))
  t.notOk('code' in carried(Object.assign(new Error('a bug'), { code: 7 })))
})

test('a cause may be anything, also the error itself', async t => {
  t.match(carried(new Error('a bug', { cause: 'words' })).cause, { message: 'words' })
  t.notOk('cause' in carried(new Error('a bug')))
  const own = new Error('its own')
  own.cause = own
  t.match(carried(own), { message: 'its own', cause: { message: 'its own' } })
  t.match(carried('words'), { message: 'words' })
})
