import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'tap'
import { JobFolders } from '../../../src/jobs/files/job-folders.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test('a workspace is empty each time it is made, and goes with the run', async t => {
  const folders = new JobFolders(join(testFolder(t), 'workspaces'))
  const id = randomUUID()
  const dir = await folders.workspace(id, 'run')
  t.equal(dir, join(folders.of(id), 'run'))
  t.equal(statSync(dir).mode & 0o777, 0o700)
  t.equal(statSync(folders.of(id)).mode & 0o777, 0o711, 'the account of a sandbox gets through')
  writeFileSync(join(dir, 'left'), '')
  await folders.workspace(id, 'run')
  t.same(readdirSync(dir), [])
  mkdirSync(join(folders.of(id), 'files'))
  await folders.removeWorkspaces(id)
  t.same(readdirSync(folders.of(id)), ['files'])
  for (const name of ['files', '../x', 'A', '', '.hidden']) {
    await t.rejects(folders.workspace(id, name), /no name for a workspace/, name)
  }
})

test('all of a job goes at once, by the given way for workspaces', async t => {
  const removed: string[] = []
  const folders = new JobFolders(testFolder(t), async dir => {
    removed.push(dir)
  })
  const id = randomUUID()
  mkdirSync(join(folders.of(id), 'files'), { recursive: true })
  mkdirSync(join(folders.of(id), 'run'))
  await folders.remove(id)
  t.same(removed, [join(folders.of(id), 'run')])
  t.notOk(existsSync(folders.of(id)))
  await folders.remove(id)
})

test('a sweep leaves kept files of known jobs, and what is no folder of a job', async t => {
  const root = testFolder(t)
  const folders = new JobFolders(root)
  const [known, unknown] = [randomUUID(), randomUUID()]
  for (const id of [known, unknown]) {
    mkdirSync(join(root, id, 'files'), { recursive: true })
    mkdirSync(join(root, id, 'run'))
    for (const file of ['kept', 'cut.tmp']) writeFileSync(join(root, id, 'files', file), '')
  }
  writeFileSync(join(root, '.owner.json'), '{}')
  await folders.sweep(async id => id === known)
  t.same(readdirSync(root).sort(), ['.owner.json', known].sort())
  t.same(readdirSync(folders.of(known)), ['files'])
  t.same(readdirSync(join(folders.of(known), 'files')), ['kept'])
})

test('a folder that cannot be read is an error, one that is not there is not', async t => {
  const root = testFolder(t)
  const folders = new JobFolders(root)
  const id = randomUUID()
  await folders.removeWorkspaces(id)
  writeFileSync(folders.of(id), 'no folder')
  await t.rejects(folders.removeWorkspaces(id), { code: 'ENOTDIR' })
})
