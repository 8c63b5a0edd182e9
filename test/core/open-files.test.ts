import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'tap'
import { openFileLimit } from '../../src/core/open-files.ts'

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96350                96350                processes
Max open files            ${soft.padEnd(20)} 1048576              files
Max locked memory         8388608              8388608              bytes
`

test('the limit of open files is what the system says, or what it usually is', async t => {
  t.equal(openFileLimit(limits('256')), 256)
  t.equal(openFileLimit(limits('unlimited')), Infinity)
  t.equal(openFileLimit(''), 1024)
  t.ok(openFileLimit() > 0)
})

/** What a function of a module comes to in a program of its own: with files, without any, and with files again. */
async function withoutFiles(module: string, name: string): Promise<Record<'first' | 'without' | 'after', object>> {
  const [program, file] = ['../helpers/out-of-files.ts', `../fixtures/${module}.ts`].map(
    path => new URL(path, import.meta.url).pathname,
  )
  const script = `ulimit -n 64; exec ${process.execPath} ${program} ${file} ${name}`
  const { stdout } = await promisify(execFile)('/bin/bash', ['-c', script])
  return JSON.parse(stdout) as Record<'first' | 'without' | 'after', object>
}

test('what cannot be started for want of files is an error, and the process goes on', async t => {
  for (const name of ['git', 'jail', 'disk']) {
    const { first, without, after } = await withoutFiles('starting-programs', name)
    t.same(after, first, name)
    t.match(without, name === 'disk' ? first : { code: 'OVERLOADED', message: /files open/ }, name)
  }
})

test('a database that cannot be opened for want of files says so, and is not called damaged', async t => {
  const { first, without, after } = await withoutFiles('opening-databases', 'openJobs')
  t.same([first, after], [{ result: 'opened' }, { result: 'opened' }])
  t.match(without, { code: 'OVERLOADED', message: /^A database of the server cannot be opened: .* files open/ })
})
