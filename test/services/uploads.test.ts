import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createUploads } from '../../src/services/uploads.ts'
import { testFolder } from '../helpers/test-folder.ts'

const BUNDLE = Buffer.from('# v2 git bundle\n')
const NAMES = ['a', 'b', 'c'].map(letter => `upl_${letter.repeat(32)}`)

test('files whose jobs have ended are removed, those that wait or arrive are not', async t => {
  const clonedReposDir = testFolder(t)
  const folder = join(clonedReposDir, '.uploads')
  mkdirSync(folder)
  const [needed = '', fresh = '', old = ''] = NAMES
  for (const name of NAMES) writeFileSync(join(folder, name), BUNDLE)
  for (const name of [needed, old]) utimesSync(join(folder, name), new Date(0), new Date(0))
  const uploads = createUploads(
    { clonedReposDir, uploadLimitBytes: 100 },
    {
      disk: { refusal: async () => null, requireForReply: async () => {} },
      jobs: {
        list: async ({ status }) => (status === 'queued' ? [{ id: 'j1', seq: 1 }] : []) as never,
        input: async () => ({ upload: needed }),
      },
    },
  )
  await uploads.sweep()
  t.strictSame(readdirSync(folder).sort(), [needed, fresh])
})

test('a sender that leaves in the middle leaves no file', async t => {
  const clonedReposDir = testFolder(t)
  const uploads = createUploads(
    { clonedReposDir, uploadLimitBytes: 1_000 },
    {
      disk: { refusal: async () => null, requireForReply: async () => {} },
      jobs: { list: async () => [], input: async () => ({}) },
    },
  )
  const left = new AbortController()
  async function* half() {
    yield BUNDLE
    left.abort(new Error('it has gone'))
    await new Promise(() => {})
  }
  await t.rejects(uploads.receive(half(), { signal: left.signal }), { message: 'it has gone' })
  t.strictSame(readdirSync(join(clonedReposDir, '.uploads')), [])
})
