import { test } from 'tap'
import { createFolderFilter } from '../../../../src/indexer/ignored-folders.ts'
import { shownPaths } from '../../../../src/pipelines/task/context/shown-files.ts'

const shown = (paths: readonly string[]) => shownPaths(new Map(paths.map(path => [path, 10])), createFolderFilter)

const FOLDERS =
  'node_modules .git dist build .next .nuxt .output .cache .turbo coverage .vercel .netlify __pycache__ vendor .any'
const ENDINGS =
  'lock png jpg jpeg gif svg ico webp woff woff2 ttf eot mp3 mp4 avi mov zip tar gz rar pdf doc docx db sqlite ' +
  'min.js min.css map'

test('ignored folders and endings', t => {
  for (const folder of FOLDERS.split(' ')) t.same(shown([`${folder}/a.js`, 'b.js']).paths, ['b.js'], folder)
  for (const folder of ['node_modules', 'vendor', '.any', '__pycache__', 'dist']) {
    t.same(shown([`packages/a/${folder}/a.js`]).paths, [], folder)
  }
  for (const ending of ENDINGS.split(' ')) t.same(shown([`a.${ending}`]).withIgnored, [], ending)
  t.same(shown(['.eslintrc.json', '.gitignore', 'a/mapper.ts', 'a/builder/x.ts']).paths.length, 4)
  t.end()
})

test('a folder of sources is shown below the root whatever its name', t => {
  t.same(shown(['src/build/__init__.py', 'src/build/env.py']).paths.length, 2)
  t.same(shown(['build/ci.go']).paths, [])
  t.same(shown(['build/ci.go']).withIgnored, ['build/ci.go'])
  t.end()
})

test('no path is shown that could pass for something else', t => {
  t.same(shown(['a```b.ts', '```', 'a\u202Eb.ts', 'a\nb.ts', '../a.ts', "it's fine.ts"]).withIgnored, ["it's fine.ts"])
  t.end()
})
