import { test } from 'tap'
import {
  listUnits,
  makeUnits,
  markdownUnits,
  settingsUnits,
  yamlUnits,
} from '../../../../src/edits/parts/units/section-units.ts'
import type { FileUnits } from '../../../../src/edits/parts/units/unit.ts'

/** Each unit as "name lead-last", below the name of what it stands in; a container ends in a slash. */
function shown(read: (lines: readonly string[]) => FileUnits, text: string): string[] {
  const { units } = read(text.split('\n'))
  return units.map(({ name, parent, lead, last, kind }) => {
    const above = parent === null ? '' : `${units[parent]?.name} > `
    return `${above}${name}${kind === 'container' ? '/' : ''} ${lead}-${last}`
  })
}

test('the sections of Markdown go up to the next heading of their level', async t => {
  t.same(shown(markdownUnits, '# A\n\ntext\n\n## B ##\n\nb\n\n\n### C\n## D\nd\n# E\n'), [
    'A/ 0-11',
    'A > B/ 4-9',
    'B > C 9-9',
    'A > D 10-11',
    'E 12-12',
  ])
  t.same(shown(markdownUnits, '# A\n```sh\n# no heading\n````\n~~~\n# B\n~~~\n# C'), ['A 0-6', 'C 7-7'])
  t.same(shown(markdownUnits, `#no\n    # code\n# \n# ${'x'.repeat(499)}\n   ###### F`), ['F 4-4'])
})

test('sections and keys of settings have the comments above them', async t => {
  t.same(
    shown(settingsUnits, '; all\nname = "x"\n\n# the one\n[[a]]\nk.1: 2\n  deep = 3\nexport "two words"=4\n[b]\n'),
    ['name 0-1', 'a/ 3-7', 'a > k.1 5-6', 'a > "two words" 7-7', 'b 8-8'],
  )
  t.same(shown(settingsUnits, `  first = 1\n  second = 2\nno key\n${'x'.repeat(499)} = 1`), ['first 0-3'])
})

test('keys of YAML stand in each other by their indentation, items are called by their first key', async t => {
  t.same(
    shown(
      yamlUnits,
      'on: push\njobs:\n  # the test\n  test:\n    steps:\n      - uses: a/b@v4\n        with: x\n      - run: |\n          key: no\n\n      - plain\n"x y": 1\n',
    ),
    [
      'on 0-0',
      'jobs/ 1-10',
      'jobs > test/ 2-10',
      'test > steps/ 4-10',
      'steps > uses: a/b/ 5-6',
      'uses: a/b > with 6-6',
      'steps > run: | 7-8',
      'steps > plain 10-10',
      '"x y" 11-11',
    ],
  )
  t.same(shown(yamlUnits, 'a: >-\n  b: 1\nc: 2'), ['a 0-1', 'c 2-2'])
  t.same(shown(yamlUnits, 'url: http://x\nhttp://y\n# c: 1'), ['url 0-1'])
})

test('targets and variables of a Makefile, and lines of a list', async t => {
  t.same(shown(makeUnits, 'CC ?= gcc\n# all\nall: a b\n\tcc: x\n\nexport X := 1\nb::\n\tx\nc := d:e'), [
    'CC 0-0',
    'all 1-3',
    'X 5-5',
    'b 6-7',
    'c 8-8',
  ])
  t.same(shown(listUnits, '# web\nflask==2.0\n\n  numpy>=1 ; x\n#end'), ['flask 0-1', 'numpy 3-3'])
})
