import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { watchDisk } from '../../../src/sandbox/limits/disk-watch.ts'
import { CHILD_ENV } from '../../helpers/child-env.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const MODULE = new URL('../../../src/sandbox/limits/disk-watch.ts', import.meta.url).href

test('a folder that grows beyond the limit is told of, one at the limit is not', async t => {
  const folder = testFolder(t)
  writeFileSync(join(folder, 'large'), Buffer.alloc(200_000, 1))
  const exceeded = Promise.withResolvers<undefined>()
  const ends = [
    watchDisk([folder], { limitBytes: 100_000, onExceeded: () => exceeded.resolve(undefined) }),
    watchDisk([folder], { limitBytes: 10_000_000, onExceeded: () => exceeded.reject(new Error('it is not')) }),
  ]
  await t.resolves(exceeded.promise)
  for (const end of ends) end()
})

test('a watch of a folder that is gone ends by itself, and ends nothing else', async t => {
  const script =
    `const { watchDisk } = await import(${JSON.stringify(MODULE)}); ` +
    "const end = watchDisk(['/not/there'], { limitBytes: 1, onExceeded() {} }); " +
    "process.on('exit', () => { end(); console.log('ended') })"
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: CHILD_ENV,
  })
  t.equal(stdout, 'ended\n')
})

test('a watch that is ended before its first look starts nothing', async t => {
  const script =
    `const { watchDisk } = await import(${JSON.stringify(MODULE)}); ` +
    "watchDisk(['/'], { limitBytes: 0, onExceeded() { console.log('looked') } })()"
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: CHILD_ENV,
  })
  t.equal(stdout, '')
})
