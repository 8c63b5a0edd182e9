import { test } from 'tap'
import { framePath } from '../../../src/resolver/mapping/frame-path.ts'
import { CODE, frame, mapOne } from './map-one.ts'

test('URLs, Windows paths, queries and encoded characters are read as paths', async t => {
  const files = { 'src/my file.js': CODE, 'src/app.vue': CODE }
  for (const file of [
    'file:///srv/src/my%20file.js',
    'C:\\work\\src\\my file.js',
    'file:///C:/work/src/my%20file.js',
    'webpack:///./src/my%20file.js?1a2b',
    'https://host/src/my%20file.js?v=3',
  ]) {
    t.equal(mapOne(files, frame(file)).path, 'src/my file.js', file)
  }
  t.equal(mapOne(files, frame('webpack-internal:///./src/app.vue?vue&type=script')).path, 'src/app.vue')
})

test('hostile names are only names', async t => {
  const files = { 'a.py': CODE, ['__proto__']: CODE }
  for (const file of [
    '../../../../etc/passwd',
    '/etc/passwd',
    '__proto__/a.js',
    'constructor',
    '',
    '/',
    '..',
    'file://%',
    'a'.repeat(5000),
    '\u0000',
  ]) {
    t.equal(mapOne(files, frame(file)).path, null, file)
  }
  t.equal(mapOne(files, frame(null)).why, 'the runtime printed no file')
})

test('what the runtime holds itself, and what is no file, has no path', async t => {
  for (const file of ['node:fs', 'node:internal/modules/loader']) {
    t.match(framePath(file), { path: '', origin: 'runtime' }, file)
  }
  for (const file of ['<string>', '<anonymous>']) t.match(framePath(file), { path: '', origin: 'nowhere' }, file)
  t.match(framePath('src/a.js'), { path: 'src/a.js', origin: 'project', absolute: false })
  t.match(framePath('/srv/./b/../a.js'), { path: 'srv/a.js', origin: 'project', absolute: true })
})
