import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { isFullDisk, namingFullDisk } from '../../src/core/full-disk.ts'

const failure = (fields: object, cause?: unknown) => Object.assign(new Error('no room', { cause }), fields)

test('a full disk is known by what the system and SQLite say, also as a cause', t => {
  const full = [
    failure({ code: 'ENOSPC' }),
    failure({ code: 'EDQUOT' }),
    failure({ code: 'ERR_SQLITE_ERROR', errcode: 13 }),
    failure({ errcode: 13 + 256 }),
    failure({}, failure({ code: 'ENOSPC' })),
    new FaultlineError('DISK_FULL', 'Full.'),
  ]
  for (const error of full) t.equal(isFullDisk(error), true)
  const others = [failure({ code: 'EACCES' }), failure({ errcode: 14 }), 'ENOSPC', new FaultlineError('BAD_REF', 'x')]
  for (const error of others) t.equal(isFullDisk(error), false)
  const itself = failure({})
  t.equal(isFullDisk(Object.assign(itself, { cause: itself })), false)
  t.end()
})

test('an error of a full disk gets its name and its way out, any other stays as it is', t => {
  const full = failure({ code: 'ENOSPC' })
  t.match(namingFullDisk(full), { code: 'DISK_FULL', fix: /DELETE \/jobs/, cause: full })
  const known = new FaultlineError('BAD_REF', 'x', undefined, { cause: full })
  t.equal(namingFullDisk(known), known)
  const bug = new TypeError('x')
  t.equal(namingFullDisk(bug), bug)
  t.end()
})
