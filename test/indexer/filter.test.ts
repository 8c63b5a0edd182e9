import { test } from 'tap'
import { readCandidate, type TrackedFile } from '../../src/indexer/filter.ts'
import { reasonFor, select, tracked } from './filter-fixture.ts'

test('each other reason has its files', async t => {
  const cases: Array<[path: string, reason: string, overrides?: Partial<TrackedFile>]> = [
    ['package-lock.json', 'lock_file'],
    ['sub/yarn.lock', 'lock_file'],
    ['Cargo.lock', 'lock_file'],
    ['go.sum', 'lock_file'],
    ['pnpm-lock.yaml', 'lock_file'],
    ['jquery.min.js', 'minified'],
    ['style.min.css', 'minified'],
    ['logo.png', 'binary'],
    ['a.jar', 'binary'],
    ['big.py', 'too_large', { size: 1_048_577 }],
    ['notes.txt', 'unsupported'],
    ['LICENSE', 'unsupported'],
    ['link.py', 'symlink', { mode: '120000' }],
    ['sub', 'submodule', { mode: '160000', type: 'commit', size: null }],
    ['a\nb.py', 'unsafe_path'],
    ['a/../b.py', 'unsafe_path'],
    ['/etc/x.py', 'unsafe_path'],
    ['a\\b.py', 'unsafe_path'],
    ['\u202Eyp.x.py', 'unsafe_path'],
    ['caf\uFFFD.py', 'unsafe_path'],
  ]
  for (const path of [`${'d/'.repeat(100)}x.py`, `${'n'.repeat(253)}.py`]) cases.push([path, 'unsafe_path'])
  for (const [path, reason, overrides] of cases) t.equal(reasonFor(path, overrides), reason, JSON.stringify(path))
  t.equal(reasonFor('exact.py', { size: 1_048_576 }), undefined, 'exactly 1 MiB is not larger')
  t.equal(reasonFor(`${'d/'.repeat(99)}x.py`), undefined, 'a hundred names deep')
})

test('every file is either a candidate or counted once', async t => {
  const files = ['a.py', 'b.png', '.env', 'node_modules/.env', 'node_modules/x.png', 'c.txt', 'yarn.lock'].map(path =>
    tracked(path),
  )
  t.same(select(files), {
    paths: ['a.py'],
    skipped: { binary: 1, secret: 1, ignored: 2, unsupported: 1, lock_file: 1 },
  })
})

test('globs choose among what may be indexed, and never bring in a secret', async t => {
  const files = ['src/a.py', 'src/generated/b.py', 'docs/c.md', 'src/.env', 'src/d.png'].map(path => tracked(path))
  t.same(select(files, { include: ['src/**'], exclude: ['**/generated/**'] }), {
    paths: ['src/a.py'],
    skipped: { excluded: 2, secret: 1, binary: 1 },
  })
})

test('files beyond the largest number or size are counted, in the order of their paths', async t => {
  t.same(
    select(
      ['c.py', 'a.py', 'b.py'].map(path => tracked(path)),
      { maxFiles: 2 },
    ),
    { paths: ['a.py', 'b.py'], skipped: { too_many: 1 } },
  )
  const sized = [
    ['a.py', 60],
    ['b.py', 60],
    ['c.py', 40],
    ['d.png', 1],
  ] as const
  t.same(
    select(
      sized.map(([path, size]) => tracked(path, { size })),
      { maxTotalBytes: 100 },
    ),
    { paths: ['a.py', 'c.py'], skipped: { too_many: 1, binary: 1 } },
    'bytes are counted of what is indexed',
  )
})

test('a program without an ending is read for its first line, by its mode or by its folder', async t => {
  const files = [tracked('run', { mode: '100755' }), tracked('data'), tracked('bin/tool'), tracked('tools/bin/tool')]
  t.same(select([...files, tracked('binary/data'), tracked('bin/data/table')]), {
    paths: ['bin/tool', 'run', 'tools/bin/tool'],
    skipped: { unsupported: 3 },
  })
  t.match(readCandidate(Buffer.from('#!/bin/sh\nexit 0\n'), null), { language: 'shell' })
  t.equal(readCandidate(Buffer.from('just words\n'), null), 'unsupported')
})

test('content decides about binary, encoding and minified files', async t => {
  t.equal(readCandidate(Buffer.from('a = 1\u0000'), 'python'), 'binary')
  t.match(
    readCandidate(Buffer.from('#'.repeat(499).concat('\n').repeat(20) + '\u0000'), 'python'),
    { language: 'python' },
    'a NUL beyond 8 KiB is let be',
  )
  t.equal(readCandidate(Buffer.from([0x63, 0xe9]), 'python'), 'not_utf8')
  t.equal(readCandidate(Buffer.alloc(1_048_577, 'a\n'), 'python'), 'too_large', 'though git gave no size')
  t.match(readCandidate(Buffer.alloc(1_048_576, 'a\n'), 'python'), { language: 'python' })
  t.equal(readCandidate(Buffer.from('var a=1;'.repeat(1000)), 'javascript'), 'minified')
  t.match(
    readCandidate(Buffer.from('var a=1;'.repeat(100)), 'javascript'),
    { language: 'javascript' },
    'too short to be sure',
  )
  t.equal(readCandidate(Buffer.from(`/*! license */\n${'a{b:c}'.repeat(1000)}`), 'css'), 'minified')
  t.match(readCandidate(Buffer.from('A long paragraph. '.repeat(500)), 'markdown'), { language: 'markdown' })
  for (const language of ['python', 'typescript', 'html', 'sql', 'java']) {
    t.match(
      readCandidate(Buffer.from(`TABLE = "${'x'.repeat(9_000)}"\n`), language),
      { language },
      `nobody minifies ${language}`,
    )
  }
  t.match(
    readCandidate(Buffer.from(`${'const line = 1\n'.repeat(100)}const icon = "${'x'.repeat(20_000)}"\n`), 'javascript'),
    { language: 'javascript' },
    'one long literal among lines that somebody wrote',
  )
  t.same(readCandidate(Buffer.from('a\r\nb\r\n'), 'python'), { text: 'a\nb\n', language: 'python' })
})
