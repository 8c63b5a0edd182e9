import { gzipSync } from 'node:zlib'
import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { bundled, leftIn, projectsOf, tarGz, upload, type Entry } from '../helpers/uploads.ts'

const HOSTILE: Array<[name: string, entries: Entry[], code: string]> = [
  ['an absolute path', [{ name: '/etc/cron.d/x', content: 'x' }], 'BAD_PATH'],
  ['a path upwards', [{ name: 'a/../../x', content: 'x' }], 'BAD_PATH'],
  ['a link to an absolute path', [{ name: 'a', type: 'symlink', linkname: '/etc/passwd' }], 'BAD_PATH'],
  ['a link upwards', [{ name: 'd/a', type: 'symlink', linkname: '../../x' }], 'BAD_PATH'],
  ['a hard link', [{ name: 'a', type: 'link', linkname: 'b' }], 'BAD_PATH'],
  ['a device', [{ name: 'a', type: 'character-device', devmajor: 1, devminor: 5 }], 'BAD_PATH'],
  ['a pipe', [{ name: 'a', type: 'fifo' }], 'BAD_PATH'],
  ['a name with a line end', [{ name: 'a\nb', content: 'x' }], 'BAD_PATH'],
  ['nothing', [], 'REPOSITORY_CORRUPT'],
  [
    'a git folder with a link in it',
    [
      { name: '.git/HEAD', content: 'ref: refs/heads/main\n' },
      { name: '.git/refs/', type: 'directory' },
      { name: '.git/objects', type: 'directory' },
      { name: '.git/objects/pack', type: 'symlink', linkname: '/' },
    ],
    'BAD_PATH',
  ],
  [
    'a git folder that borrows objects',
    [
      { name: '.git/HEAD', content: 'ref: refs/heads/main\n' },
      { name: '.git/refs/heads/main', content: `${'a'.repeat(40)}\n` },
      { name: '.git/objects/info/alternates', content: '/etc\n' },
    ],
    'REPOSITORY_CORRUPT',
  ],
  [
    'a git folder without objects',
    [
      { name: '.git/HEAD', content: 'ref: refs/heads/main\n' },
      { name: '.git/objects/', type: 'directory' },
      { name: '.git/refs/heads/main', content: `${'a'.repeat(40)}\n` },
    ],
    'REPOSITORY_CORRUPT',
  ],
]

test('hostile and damaged files are refused with a reason, and leave nothing behind', async t => {
  const built = await buildApp(t, { env: { UPLOAD_LIMIT_MB: '3' } })
  const good = await tarGz([{ name: 'a.py', content: `a = 1\n${'# filler\n'.repeat(2000)}` }])
  const { bundle, shop } = bundled(built)
  shop.commit({ 'b.py': 'b = 1\n' })
  const whole = bundle('--all')
  const refused = async (name: string, payload: Buffer, expected: object) => {
    t.match(await upload(built, payload), expected, name)
    t.strictSame(await projectsOf(built), [], name)
    t.strictSame([leftIn(built, '.uploads'), leftIn(built, '.uploaded/shop')], [[], []], name)
    t.strictSame(
      leftIn(built, '').filter(entry => entry.startsWith('.tmp-') || !entry.startsWith('.')),
      [],
      name,
    )
  }
  for (const [name, entries, code] of HOSTILE) {
    await refused(name, await tarGz(entries), { status: 'failed', error: { code, step: 'clone' } })
  }
  await refused('cut off', good.subarray(0, -20), { status: 'failed', error: { code: 'REPOSITORY_CORRUPT' } })
  await refused('no tar inside', gzipSync('x'.repeat(2000)), {
    status: 'failed',
    error: { code: 'REPOSITORY_CORRUPT' },
  })
  await refused('a cut bundle', whole.subarray(0, whole.length - 200), {
    status: 'failed',
    error: { code: 'REPOSITORY_CORRUPT' },
  })
  await refused('half a history', bundle('main', '^main~1'), { status: 'failed', error: { code: 'REF_NOT_FOUND' } })
  await refused('a form', Buffer.from('------x\r\nContent-Disposition: form-data; name="f"\r\n\r\n'), {
    http: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    fix: /-T shop\.bundle/,
  })
  await refused('nothing at all', Buffer.alloc(0), { http: 415 })
  await refused('too much', Buffer.concat([whole, Buffer.alloc(3 * 1_048_576)]), {
    http: 413,
    code: 'PAYLOAD_TOO_LARGE',
  })
  t.match(await built.app.inject({ method: 'POST', url: '/projects/con/upload', payload: whole }), { statusCode: 400 })
})
