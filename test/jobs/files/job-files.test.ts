import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { MAX_FILE_BYTES } from '../../../src/core/job.ts'
import { DAMAGES } from '../../helpers/damage.ts'
import { type Run, openCloneJobs, untilAborted } from '../fixture.ts'

test('a step that is cut off after it kept files finds, run again, what it found the first time', async t => {
  const kept = Promise.withResolvers<undefined>()
  let tries = 0
  const run: Run = async ({ step, files }) => {
    await step('write', () =>
      files.put(
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      ),
    )
    const version = await step('list', async () => files.list())
    await step('append', async signal => {
      await files.put(
        new Map<string, string | null>([
          ['a', `${(await files.read('a')).toString()}x`],
          ['b', null],
          ...(tries === 0 ? [['c', ''] as const] : []),
        ]),
      )
      if (tries++ > 0) return
      kept.resolve(undefined)
      await untilAborted(signal)
    })
    const [old] = version
    return {
      a: (await files.read('a')).toString(),
      paths: (await files.list()).map(({ path }) => path),
      old: old === undefined ? null : (await files.readVersion(old)).toString(),
    }
  }
  const first = await openCloneJobs(t, run)
  const { job } = await first.jobs.create('clone', {})
  await kept.promise
  await first.close()
  const second = await openCloneJobs(t, run, { root: first.root })
  t.same((await second.jobs.settled(job.id, 10_000)).result, { a: '1x', paths: ['a'], old: '1' })
  t.equal(tries, 2)
})

test('bytes that are gone or changed are named with the way out, also in an archive and for a retry', async t => {
  const { jobs, root } = await openCloneJobs(t, async ({ step, files }) => {
    await step('write', () => files.put(new Map([['src/a.txt', 'kept']])))
    return step('end', async () => ({}))
  })
  const { id } = (await jobs.create('clone', {})).job
  await jobs.settled(id, 10_000)
  const [kept] = await jobs.files(id)
  const folder = join(root, 'workspaces', id, 'files')
  const stored = join(folder, kept?.sha256 ?? '')
  const broken = { code: 'DATA_DAMAGED', message: /"src\/a\.txt"/, fix: /POST \/jobs\/\{id\}\/retry/ }
  t.equal((await jobs.readFile(id, 'src/a.txt')).toString(), 'kept')
  for (const [how, damage] of Object.entries(DAMAGES)) {
    rmSync(stored, { recursive: true, force: true })
    writeFileSync(stored, 'kept')
    damage(stored)
    await t.rejects(jobs.readFile(id, 'src/a.txt'), broken, how)
    await t.rejects(jobs.archive(id), broken, how)
  }
  rmSync(stored, { recursive: true, force: true })
  await t.rejects(jobs.retry(id, {}, { fromStep: 'end' }), { code: 'DATA_DAMAGED' })
  t.match(await jobs.settled((await jobs.retry(id, {})).job.id, 10_000), { status: 'succeeded' })
})

test('a file that could not be written leaves nothing behind', async t => {
  const { jobs, root } = await openCloneJobs(t, async ({ step, files, id }) => {
    await step('write', () => files.put(new Map([['a', '1']])))
    const [kept] = await files.list()
    const stored = join(root, 'workspaces', id, 'files', kept?.sha256 ?? '')
    rmSync(stored)
    mkdirSync(join(stored, 'in the way'), { recursive: true })
    await step('again', () => files.put(new Map([['b', '1']]))).catch(() => {})
    return { names: readdirSync(join(root, 'workspaces', id, 'files')) }
  })
  const { result } = await jobs.settled((await jobs.create('clone', {})).job.id, 10_000)
  t.match(result, { names: [/^[0-9a-f]{64}$/] })
  t.equal((result as { names: string[] }).names.length, 1)
})

test('what no job can keep is refused before anything is written, up to the limits it is kept', async t => {
  const largest = new Uint8Array(MAX_FILE_BYTES)
  const rest = new Uint8Array(64 * 1024 * 1024 - 6 * MAX_FILE_BYTES)
  const many = (count: number, content: string | Uint8Array): Array<[string, string | Uint8Array]> =>
    Array.from({ length: count }, (_, at) => [`many/${at}`, content])
  const refused: Array<[what: string, code: string, files: Array<[string, string | Uint8Array]>]> = [
    [
      'a file that would be a folder',
      'BAD_PATH',
      [
        ['a', ''],
        ['a/b/c', ''],
      ],
    ],
    [
      'the same further up',
      'BAD_PATH',
      [
        ['a/b', ''],
        ['a/b/c', ''],
      ],
    ],
    ['a path that leads out', 'BAD_PATH', [['../a', '']]],
    ['one file too large', 'PAYLOAD_TOO_LARGE', [['a', new Uint8Array(MAX_FILE_BYTES + 1)]]],
    ['too many', 'PAYLOAD_TOO_LARGE', many(10_001, '')],
    ['too much', 'PAYLOAD_TOO_LARGE', [...many(6, largest), ['rest', rest], ['one', '1']]],
  ]
  const { jobs } = await openCloneJobs(t, async ({ step, files }) => {
    const codes: string[] = []
    for (const [what, code, entries] of refused) {
      await step(what, () => files.put(new Map(entries))).catch((error: unknown) => {
        codes.push((error as { code?: string }).code === code ? code : `${what}: ${String(error)}`)
      })
    }
    const none = await files.list()
    await step('beside', () =>
      files.put(
        new Map([
          ['ab', ''],
          ['a/b', ''],
        ]),
      ),
    )
    await step('away', () =>
      files.put(
        new Map([
          ['ab', null],
          ['a/b', null],
        ]),
      ),
    )
    await step('as much as may be', () => files.put(new Map([...many(6, largest), ['rest', rest]])))
    return { codes, none: none.length, kept: (await files.list()).length }
  })
  const { result } = await jobs.settled((await jobs.create('clone', {})).job.id, 10_000)
  t.same(result, { codes: refused.map(([, code]) => code), none: 0, kept: 7 })
})
