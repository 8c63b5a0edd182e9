import { test } from 'tap'
import { announcesOld, asideReason, shownBy } from '../../../src/edits/read/aside.ts'

type Block = [lines: string, language?: string, above?: string, heading?: string]

const reasonOf = ([lines, language = '', above = '', heading = '']: Block): string | null =>
  asideReason({ lines: lines.split('\n'), language, above, heading })

/** What becomes of blocks without a name. */
const CASES: ReadonlyArray<readonly [reason: string | null, blocks: readonly Block[]]> = [
  [
    'listing',
    [
      ['graph TD', 'mermaid'],
      ['graph TD', 'mermaid', 'Add this:'],
      [''],
      ['src\n├── a.py\n└── b.py'],
      ['src\n|-- a.py', 'text'],
      ['src/a.py\nREADME.md  # how to start'],
      ['src/\nlib/', 'txt'],
    ],
  ],
  [
    'output',
    [
      ['4 files', 'output'],
      ['4 files', 'stdout', 'Add this:'],
      ['Traceback (most recent call last):\n  File "a.py", line 1, in f'],
      ['ValueError: no rows', ''],
      ['all is well\nok 1 - adds', 'text'],
      ['GET /items'],
      ['https://example.com/a\nhttps://example.com/b'],
      ['$ shop --list\n3 items'],
      ['3 items', 'text', 'It prints:'],
      ['{"items": 3}', 'json', 'Then run it:'],
      ['a,b', 'csv', 'The server responds with:'],
    ],
  ],
  [
    'command',
    [
      ['npm test'],
      ['DEBUG=1 npm test', 'text'],
      ['./run.sh --fast'],
      ['$ shop'],
      ['# first\nnpm ci\nnpm run build \\\n  --production'],
      ['ls', 'bash'],
      ['set -e', 'sh', 'Replace it with:'],
    ],
  ],
  [
    'example',
    [
      ['...'],
      ['<your code>', 'text', 'Change it so:'],
      ['load("a")', 'python', 'For example:'],
      ['load("a")', 'python', '', 'Usage'],
      ['load("a")', 'python', 'You can then call it so:', ''],
      ['{"port": 80}', 'json', '', 'Installation'],
      ['some words', '', '', 'Explanation'],
    ],
  ],
  [
    null,
    [
      ['x = 1', 'python'],
      ['x = 1'],
      ['...\nx = 1'],
      ['npm test\nx = 1'],
      ['#!/bin/sh\nnpm test', 'bash'],
      ['load("a")', 'python', 'Add an example:'],
      ['load("a")', 'python', 'Add this:', 'Usage'],
      ['load("a")', 'python', 'It prints:'],
      ['load("a")', 'python', '', 'Installation'],
      ['{"port": 80}', 'json', 'Update the configuration:', 'Installation'],
      ['{"port": 80}', 'json', 'The configuration:', 'Files'],
      ['src\nlib', 'text'],
      ['src/a.py', 'json'],
      ['GET /items\nx = 1'],
    ],
  ],
]

test('a block without a name is for no file where its language, its lines or the words above it say so', async t => {
  for (const [reason, blocks] of CASES) {
    for (const block of blocks) t.equal(reasonOf(block), reason, JSON.stringify(block))
  }
})

test('blank lines do not count in what a block shows', async t => {
  t.equal(shownBy(['', '...', ' ']), 'example')
  t.equal(shownBy(['', 'npm ci', '', 'npm test']), 'command')
  t.equal(shownBy([' ', '']), 'listing')
  t.equal(shownBy(['', 'x = 1']), null)
})

test('a line announces what there is where it names a fault and speaks of no change', async t => {
  for (const line of ['The bug is here:', 'It was:', 'Currently:']) t.equal(announcesOld(line), true, line)
  for (const line of ['Fix the bug so:', 'Here it is:', '']) t.equal(announcesOld(line), false, line)
})
