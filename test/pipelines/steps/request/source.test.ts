import { test } from 'tap'
import { filesNow, withSource } from '../../../../src/pipelines/steps/request/source.ts'
import { requestParts } from '../../../helpers/request-parts.ts'

const parts = requestParts()

test('a body has exactly one source', async t => {
  const invalid = { code: 'VALIDATION_FAILED' }
  await t.rejects(withSource(parts, {}), { ...invalid, message: /this body has none/ })
  await t.rejects(withSource(parts, { files: {}, job_id: 'j' }), { ...invalid, message: /files and job_id/ })
})

test('what means something with a project alone is refused with another source, unless it is off', async t => {
  await t.rejects(withSource(parts, { files: {}, push: true }), {
    message: 'push needs a project; this body has files.',
  })
  t.same(await withSource(parts, { files: {}, push: false }), { files: {}, push: false })
})

test('files are checked, those of an ended job copied, a project named as it is stored', async t => {
  await t.rejects(withSource(parts, { files: { '/etc/passwd': '' } }), { code: 'BAD_PATH' })
  t.same(await withSource(parts, { job_id: 'j1' }), { files: { 'a.txt': 'kept' } })
  t.same(await withSource(parts, { project_name: 'SHOP' }), {
    project_name: 'shop',
    callback_url: 'https://of.project/',
  })
})

test('a job gives its files when it has ended, keeps some, and all of them are texts', async t => {
  await t.rejects(withSource(requestParts({ jobStatus: 'running' }), { job_id: 'j1' }), { code: 'JOB_NOT_FINISHED' })
  const keeping = (files: Array<{ path: string; content: Buffer }>) => ({
    ...parts,
    filesOfJob: async (id: string) => ({ ...(await parts.filesOfJob(id)), files }),
  })
  await t.rejects(withSource(keeping([]), { job_id: 'j1' }), { message: /keeps no files/ })
  const binary = keeping([{ path: 'a.bin', content: Buffer.from([0xff, 0xfe, 0x00, 0xd8]) }])
  await t.rejects(withSource(binary, { job_id: 'j1' }), { message: /is not UTF-8/ })
})

test('the files as they are now are those sent, or those of the project at its commit', async t => {
  const sent = await filesNow(parts, { files: { 'a.py': '1' } })
  t.equal(sent.project, null)
  t.same(await sent.base.paths(), ['a.py'])
  const { base, project } = await filesNow(parts, { project_name: 'shop' })
  t.same(await base.paths(), ['main.py', 'run.sh'])
  t.match(project?.at, { projectName: 'shop', repository: 'shop' })
})
