import { test } from 'tap'
import { baseName, folderOf, isOfLibrary, lowerBaseName } from '../../src/core/path-names.ts'

test('a path is its folder and its base name', async t => {
  for (const [path, folder, name] of [
    ['src/core/chunk.ts', 'src/core/', 'chunk.ts'],
    ['chunk.ts', '', 'chunk.ts'],
    ['/chunk.ts', '/', 'chunk.ts'],
    ['src/', 'src/', ''],
    ['', '', ''],
  ] as const) {
    t.equal(folderOf(path), folder)
    t.equal(baseName(path), name)
  }
})

test('base names are compared in small letters', async t => {
  t.equal(lowerBaseName('Docs/README.md'), 'readme.md')
})

test('a vendor folder deeper down is foreign only when a host follows', async t => {
  t.equal(isOfLibrary('vendor/acme/log.go'), true)
  t.equal(isOfLibrary('tools/vendor/example.com/log/log.go'), true)
  t.equal(isOfLibrary('src/vendor/list.py'), false)
  t.equal(isOfLibrary('web/node_modules/left/index.js'), true)
})
