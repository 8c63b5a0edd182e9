import { test } from 'tap'
import type { Frame } from '../../src/core/frame.ts'
import { mapFrames } from '../../src/resolver/map-frames.ts'
import { numberedFile } from '../fakes/memory-code-reader.ts'

function frame (file: string | null, place: Partial<Frame> = {}): Frame {
  return { index: 0, exception: 0, raw: '', file, line: 2, column: null, function: null, sourceText: null, repeat: 1, ...place }
}

/** Maps frames against files given as path → text. */
function map (files: Record<string, string>, frames: Frame[], repository = 'shop') {
  const list = Object.keys(files).map(path => ({ repository, path }))
  return mapFrames(frames, list, (_, path) => files[path] ?? null)
}

function mapOne (files: Record<string, string>, one: Frame, repository?: string) {
  const [mapped] = map(files, [one], repository)
  if (mapped === undefined) throw new Error('one frame in, one frame out')
  return mapped
}

const CODE = numberedFile(50)

test('a path that the index has is exact', async (t) => {
  t.match(mapOne({ 'src/utils.py': CODE, 'utils.py': CODE }, frame('src/utils.py')), { path: 'src/utils.py', match: 'exact', inProject: true, repository: 'shop', codeLine: 2 })
  t.match(mapOne({ 'src/utils.py': CODE }, frame('./src/../src/utils.py')), { path: 'src/utils.py', match: 'exact' })
})

test('else the longest suffix wins, and the sentence names both roots', async (t) => {
  const files = { 'src/api/utils.py': CODE, 'tools/utils.py': CODE, 'utils.py': CODE }
  t.match(mapOne(files, frame('/app/api/utils.py')), { path: 'src/api/utils.py', match: 'suffix', why: 'stack root /app/ is source root src/' })
  t.match(mapOne({ 'src/utils.py': CODE }, frame('/app/utils.py')), { path: 'src/utils.py', match: 'suffix', why: 'stack root /app/ is source root src/' })
  t.match(mapOne({ 'shop/cart.py': CODE }, frame('/srv/shop/cart.py')), { path: 'shop/cart.py', match: 'suffix', why: 'stack root /srv/ is source root ./' })
})

test('a base name alone needs something of the frame in the file', async (t) => {
  const files = { 'deep/inside/utils.py': 'def process():\n    pass\n' }
  t.match(mapOne(files, frame('/app/other/utils.py', { function: 'process' })), { path: 'deep/inside/utils.py', match: 'basename' })
  t.match(mapOne(files, frame('utils.py')), { path: 'deep/inside/utils.py', match: 'basename' })
  t.match(mapOne(files, frame('/app/other/utils.py', { function: 'render' })), { path: null, match: 'none', inProject: false, candidates: ['deep/inside/utils.py'] })
})

test('equal names are settled by line, then function, then depth, then alphabet', async (t) => {
  const named = (name: string): string => `line 1\ndef ${name}():\n    pass\n`
  t.equal(mapOne({ 'a/x/run.py': 'one line\n', 'b/x/run.py': CODE }, frame('/app/x/run.py', { line: 40 })).path, 'b/x/run.py')
  t.equal(mapOne({ 'a/x/run.py': named('f'), 'b/x/run.py': named('g') }, frame('/app/x/run.py', { function: 'g' })).path, 'b/x/run.py')
  t.equal(mapOne({ 'a/b/x/run.py': CODE, 'z/x/run.py': CODE }, frame('/app/x/run.py')).path, 'z/x/run.py')
  const tied = mapOne({ 'b/run.py': CODE, 'a/run.py': CODE }, frame('run.py'))
  t.match(tied, { path: 'a/run.py', candidates: ['b/run.py'] })
})

test('what other frames show of the roots settles a name that many files have', async (t) => {
  const files = { 'backend/shop/cart.py': CODE, 'backend/shop/till.py': CODE, 'backend/models.py': CODE, 'other/models.py': CODE }
  const mapped = map(files, [frame('/app/shop/cart.py'), frame('/app/shop/till.py'), frame('/app/models.py')])
  t.match(mapped[2], { path: 'backend/models.py', match: 'suffix', why: 'stack root /app/ is source root backend/, as other frames show' })
})

test('URLs, Windows paths, queries and encoded characters are read as paths', async (t) => {
  const files = { 'src/my file.js': CODE, 'src/app.vue': CODE }
  for (const file of ['file:///srv/src/my%20file.js', 'C:\\work\\src\\my file.js', 'file:///C:/work/src/my%20file.js', 'webpack:///./src/my%20file.js?1a2b', 'https://host/src/my%20file.js?v=3']) {
    t.equal(mapOne(files, frame(file)).path, 'src/my file.js', file)
  }
  t.equal(mapOne(files, frame('webpack-internal:///./src/app.vue?vue&type=script')).path, 'src/app.vue')
})

test('libraries and the runtime are not in the project, however much a name agrees', async (t) => {
  const files = { 'src/index.js': CODE, 'json/decoder.py': CODE, 'shop/json/decoder.py': CODE, 'shop/django/core/base.py': CODE, 'fs.py': CODE }
  for (const file of ['/app/node_modules/left/index.js', '/usr/lib/python3.11/shop/decoder.py', '/venv/lib/python3.11/site-packages/other/decoder.py', 'node:internal/index.js', 'node:fs', 'internal/modules/cjs/loader.js', 'events.js',
    '<frozen importlib._bootstrap>', '<string>', '<anonymous>', 'C:\\Python39\\Lib\\site-packages\\left\\decoder.py']) {
    const mapped = mapOne(files, frame(file))
    t.match(mapped, { inProject: false, match: 'none', path: null, codeLine: null }, file)
    t.ok(mapped.why.length > 0)
  }
})

test('a library that is the project itself, or that it tracks, is in the project', async (t) => {
  t.match(mapOne({ 'celery/worker.py': CODE }, frame('/venv/lib/python3.9/site-packages/celery/worker.py')), { path: 'celery/worker.py', match: 'suffix' })
  t.match(mapOne({ 'packages/kit/src/a.js': CODE }, frame('/app/node_modules/kit/src/a.js')), { path: 'packages/kit/src/a.js', match: 'suffix' })
  t.match(mapOne({ 'lib/a.js': CODE }, frame('/app/node_modules/kit/lib/a.js'), 'kit'), { path: 'lib/a.js', match: 'package' })
  t.match(mapOne({ 'lib/a.js': CODE }, frame('/app/node_modules/kit/lib/a.js'), 'shop'), { path: null, match: 'none' })
  t.match(mapOne({ 'lib/a.js': CODE, 'package.json': '{"name": "@our/kit"}' }, frame('/app/node_modules/@our/kit/lib/a.js'), 'shop'), { path: 'lib/a.js', match: 'package' })
  t.match(mapOne({ 'lib/a.js': CODE, 'package.json': '{"name": ' }, frame('/app/node_modules/kit/lib/a.js'), 'shop'), { path: null, match: 'none' })
  t.match(mapOne({ 'pip/_vendor/rich/text.py': CODE }, frame('/venv/lib/python3.9/site-packages/rich/text.py')), { path: null }, 'a vendored copy is not that library')
})

test('a line that is not there is told, with the place where the code is now', async (t) => {
  const files = { 'a.py': 'import os\n\ndef f():\n    return g()\n' }
  t.match(mapOne(files, frame('a.py', { line: 1, sourceText: 'return g()' })), { codeLine: 4, line: 1, why: 'the path is a.py in the index; the printed code is at line 4' })
  t.match(mapOne(files, frame('a.py', { line: 90 })), { codeLine: null, why: 'the path is a.py in the index; the file has 4 lines' })
  t.match(mapOne(files, frame('a.py', { line: 2, sourceText: 'gone()' })), { codeLine: null, why: 'the path is a.py in the index; the printed code is not at this line' })
})

test('hostile names are only names', async (t) => {
  const files = { 'a.py': CODE, ['__proto__']: CODE }
  for (const file of ['../../../../etc/passwd', '/etc/passwd', '__proto__/a.js', 'constructor', '', '/', '..', 'file://%', 'a'.repeat(5000), '\u0000']) t.equal(mapOne(files, frame(file)).path, null, file)
  t.equal(mapOne(files, frame(null)).why, 'the runtime printed no file')
})
