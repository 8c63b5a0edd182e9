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

test('what cannot be started for want of files is an error, and the process goes on', async t => {
  const [program, module] = ['../helpers/out-of-files.ts', '../fixtures/starting-programs.ts'].map(
    path => new URL(path, import.meta.url).pathname,
  )
  for (const name of ['git', 'jail', 'disk']) {
    const script = `ulimit -n 64; exec ${process.execPath} ${program} ${module} ${name}`
    const { stdout } = await promisify(execFile)('/bin/bash', ['-c', script])
    const { first, without, after } = JSON.parse(stdout) as Record<string, object>
    t.same(after, first, name)
    t.match(without, name === 'disk' ? first : { code: 'OVERLOADED', message: /files open/ }, name)
  }
})
