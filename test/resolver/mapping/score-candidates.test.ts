import { test } from 'tap'
import { CODE, frame, mapOne } from './map-one.ts'

test('equal names are settled by line, then function, then depth, then alphabet', async t => {
  const named = (name: string): string => `line 1\ndef ${name}():\n    pass\n`
  t.equal(
    mapOne({ 'a/x/run.py': 'one line\n', 'b/x/run.py': CODE }, frame('/app/x/run.py', { line: 40 })).path,
    'b/x/run.py',
  )
  t.equal(
    mapOne({ 'a/x/run.py': named('f'), 'b/x/run.py': named('g') }, frame('/app/x/run.py', { function: 'g' })).path,
    'b/x/run.py',
  )
  t.equal(mapOne({ 'a/b/x/run.py': CODE, 'z/x/run.py': CODE }, frame('/app/x/run.py')).path, 'z/x/run.py')
  const tied = mapOne({ 'b/run.py': CODE, 'a/run.py': CODE }, frame('run.py'))
  t.match(tied, { path: 'a/run.py', candidates: ['b/run.py'] })
})

test('a bare name is settled by the class when lines and functions agree', async t => {
  const files = Object.fromEntries(
    ['Cart', 'Till', 'Shelf'].map(name => [
      `packages/${name.toLowerCase()}/index.js`,
      `class ${name} {\n  run () {\n    return 1\n  }\n}\n`,
    ]),
  )
  t.equal(mapOne(files, frame('index.js', { line: 3, function: 'Till.run' })).path, 'packages/till/index.js')
  t.equal(
    mapOne(files, frame('/srv/index.js', { line: 3, function: 'Shelf.run [as go]' })).path,
    'packages/shelf/index.js',
  )
})

test('the namespace that a runtime prints tells files of one name apart', async t => {
  const files = {
    'src/Base/Errors/Handler.php':
      '<?php\nnamespace Base\\Errors;\nclass Handler {\n  public function report($e) {\n  }\n}\n',
  }
  t.match(
    mapOne(files, frame('/var/www/app/Errors/Handler.php', { line: 4, function: 'App\\Errors\\Handler->report' })),
    { path: null },
  )
  t.match(
    mapOne(files, frame('/var/www/base/Errors/Handler.php', { line: 4, function: 'Base\\Errors\\Handler->report' })),
    { path: 'src/Base/Errors/Handler.php' },
  )
})

test('of more files of one name than are read the likeliest are, whatever their place in the alphabet', async t => {
  const others = Array.from({ length: 30 }, (_, i) => [`apps/a${i}/test/run.py`, CODE])
  const files = Object.fromEntries([...others, ['shop/x/run.py', CODE]])
  t.equal(mapOne(files, frame('/srv/shop/x/run.py')).path, 'shop/x/run.py')
})
