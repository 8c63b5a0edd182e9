import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { namingStorageFault } from '../../src/core/storage-fault.ts'

const failure = (fields: object) => Object.assign(new Error('raw words'), fields)

test('what SQLite and the system say of the files of the server is a sentence with a way out', t => {
  const cases: Array<[object, RegExp]> = [
    [{ errcode: 8 }, /^The job database .* cannot be written to\.$/],
    [{ errcode: 10 + 2 * 256 }, /^The job database .* the disk fails/],
    [{ errcode: 11 }, /damaged or cut off/],
    [{ errcode: 14 }, /cannot be opened/],
    [{ errcode: 26 }, /no database/],
    [
      { code: 'EISDIR', path: '/srv/secret/manifest.json' },
      /^A file of the server, "manifest.json", .* is a folder\.$/,
    ],
    [{ code: 'ELOOP', path: '/x/y' }, /"y", .* leads nowhere/],
    [{ code: 'ENOTDIR', path: 'y' }, /is a file\.$/],
    [{ code: 'EACCES', path: 'y' }, /may not be opened/],
    [{ code: 'EPERM', path: 'y' }, /may not be changed/],
    [{ code: 'EROFS', path: 'y' }, /read-only/],
    [{ code: 'EIO', path: undefined }, /"a file", .* the disk fails/],
  ]
  for (const [fields, message] of cases) {
    const cause = failure(fields)
    t.match(namingStorageFault(cause), { code: 'DATA_DAMAGED', message, fix: /copy/, cause })
  }
  t.match(namingStorageFault(failure({ code: 'ENOSPC' })), { code: 'DISK_FULL' })
  t.match(namingStorageFault(failure({ code: 'EMFILE', path: 'y' })), { code: 'OVERLOADED', fix: /ulimit -n/ })
  t.end()
})

test('any other error stays as it is', t => {
  const others = [
    failure({ errcode: 1 }),
    failure({ code: 'EACCES', port: 80 }),
    failure({ code: 'ENOENT', path: 'y' }),
    new FaultlineError('BAD_REF', 'x', undefined, { cause: failure({ errcode: 11 }) }),
    new TypeError('x'),
    'text',
  ]
  for (const error of others) t.equal(namingStorageFault(error), error)
  t.end()
})
