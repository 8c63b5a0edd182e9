import { test } from 'tap'
import type { FileBlock } from '../../../src/edits/edit.ts'
import { Workspace } from '../../../src/edits/apply/workspace.ts'
import { PartReader } from '../../../src/edits/parts/part-reader.ts'
import { NO_RULES } from '../../../src/edits/parts/read-part.ts'
import { applyBlock } from '../../../src/edits/apply/apply-block.ts'
import { applyPart } from '../../helpers/part-cases.ts'
import { APP, app, checkReplies, F, fenced, HUNK, NAMES, SAVED } from '../../helpers/reply-cases.ts'

test('a block writes a file, unless it looks like an excerpt of it', async t => {
  checkReplies(t, [
    ['the last version wins', `a.py\n${fenced('1', '')}\na.py\n${fenced('2', '')}`, { 'a.py': '2\n' }],
    ['a file that stands there is replaced', `src/app.py\n${fenced(SAVED, 'python')}`, app(SAVED)],
    ['an excerpt under a sentence', `In \`src/app.py\`, change:\n${fenced('x = 1', 'python')}`, ['malformed']],
    [
      'an excerpt beside the diff that it explains',
      `The fault in \`src/app.py\` is:\n${fenced('return x', 'python')}\n${fenced(NAMES + HUNK)}`,
      app(SAVED),
    ],
    ['a file where a folder is', `src\n${F}\nx\n${F}\n`, ['malformed']],
    ['a file below a file', `src/app.py/x.py\n${fenced('x', '')}`, ['bad_path']],
    ['prose alone', 'It is fine as it is.', {}],
    [
      'all of a file under a sentence that may announce a part',
      `Change \`src/app.py\`:\n${fenced(SAVED, 'python')}`,
      app(SAVED),
    ],
    ['the name and a blank line, which the file lacks', fenced(`# src/app.py\n\n${SAVED}`, 'python'), app(SAVED)],
    [
      'the name alone, which the file lacks, before its own blank line',
      fenced('# a.py\n\nx = 2', 'python'),
      { 'a.py': '\nx = 2\n' },
      { 'a.py': '\nx = 1\n' },
    ],
    ['a block that only repeats the file', `src/app.py\n${fenced(APP, 'python')}`, {}],
  ])
})

test('a block is taken for an excerpt by the words above it and by its length', async t => {
  const before = 'a\nb\nc\nd\ne\n'
  const apply = (named: FileBlock['named'], content: string, edits = 0): unknown => {
    const workspace = new Workspace(new Map([['f', before]]), {
      memory: { hunks: [], deleted: [] },
      work: { left: 1e6 },
    })
    const { problems } = applyBlock({ path: 'f', content, named, line: 0 }, workspace, {
      edited: new Map([['f', edits]]),
      parts: new PartReader({
        files: new Map([['f', before]]),
        reply: { files: [], diffs: [], problems: [] },
        rules: NO_RULES,
        work: { left: 1e6 },
      }),
    })
    if (problems.length > 0) return 'refused'
    return workspace.read('f') === before ? 'left alone' : 'written'
  }
  t.equal(apply('line', 'v\nw\nx\n'), 'written')
  t.equal(apply('sentence', 'x\ny\nz\n'), 'written', 'three lines of five')
  t.equal(apply('sentence', 'x\ny\n', 1), 'refused')
  t.equal(apply('sentence', 'x\ny\n', 2), 'left alone', 'the reply edits the file elsewhere')
  t.equal(apply('part', 'x\n'), 'left alone', 'and refused unless it is a quote')
  t.equal(apply('part', 'x\n', 1), 'left alone')
  t.equal(apply('part', 'a\nx\ny\ne\n'), 'written', 'begins and ends as the file does')
  t.equal(apply('part', 'a\nx\ne\n'), 'left alone', 'and is too short')
  t.equal(apply('part', 'x\nb\nc\ne\n'), 'left alone')
  t.equal(apply('part', 'a\nb\nc\nx\n'), 'left alone')
  t.equal(apply('part', before), 'left alone')
  t.equal(apply('line', 'a\n# ... existing code ...\n'), 'refused')
})

test('a block that takes back an earlier one of its file is read against the file before the reply', async t => {
  const wrong = `${APP}\n\ndef wrong():\n    return load("a") + load("b")\n`
  const shown = (body: string): string => `src/app.py\n${fenced(body, 'python')}\n`
  checkReplies(t, [
    ['wrong first', `${shown(wrong)}Wait, that is wrong. Here is the right one:\n\n${shown(SAVED)}`, app(SAVED)],
    ['a new file', `${shown(wrong)}Correction:\n\n${shown('x = 1\n')}`, app('x = 1\n'), {}],
    ['nothing takes it back', `${shown(wrong)}And:\n\n${shown(SAVED)}`, ['malformed']],
    ['a part, which lacks more', `${shown(wrong)}Oops:\n\n${shown('import os\n\nx = 1\n')}`, ['malformed']],
  ])
})

test('a block below the numbers of lines is a part of the file that is there', async t => {
  const save = SAVED.slice(SAVED.indexOf('def save'))
  const quote = APP.slice(APP.indexOf('def save'))
  for (const reply of [
    `src/app.py:8\n${fenced(save, 'python')}`,
    `\`src/app.py\` (lines 8-10)\n${fenced(save, 'python')}`,
    fenced(save, '8:10:src/app.py'),
  ]) {
    t.same(applyPart({ 'src/app.py': APP }, reply), { files: { 'src/app.py': SAVED }, rejected: [] }, reply)
  }
  checkReplies(t, [
    ['a quote', `src/app.py:8\n${fenced(quote, 'python')}`, {}],
    ['other code', `src/app.py:8\n${fenced('print(1)', 'python')}`, ['malformed']],
    ['no such file', `src/none.py:8\n${fenced('print(1)', 'python')}`, ['no_such_file']],
  ])
})

test('a function of a short file is placed where the words above announce a part', async t => {
  const before = 'package main\n\nfunc greet() {\n\tprint("a")\n}\n\nfunc main() {\n\tgreet()\n}\n'
  const greet = 'func greet() {\n\tprint("b")\n\tprint("c")\n\tprint("d")\n}\n'
  const after = before.replace(/func greet[^]*?\n\}\n/, greet)
  const send = (above: string, body = greet) =>
    applyPart({ 'main.go': before }, `${above}\n\n${fenced(body, 'go')}`, 'Print more')
  for (const above of [
    '`main.go` (lines 3-5)',
    '### main.go:3-5',
    '**main.go (L3-L5)**',
    '`main.go` (around line 3):',
    'In `main.go`, lines 3-5:',
    'The function in `main.go` is now:',
  ]) {
    const { files, rejected } = send(above)
    t.equal(rejected.join('\n'), '', above)
    t.equal(files['main.go'], after, above)
  }
  t.match(send('`main.go`').rejected.join('\n'), /lacks package main/, 'nothing announces a part')
  t.match(send('`main.go` (lines 4-4)', '\tprint("b")\n').rejected.join('\n'), /looks like a part/, 'no definition')
  t.match(send('`main.go` (lines 3-5)', greet.replace(/ {\n.*\n/, ' {\n\t// ...\n')).rejected.join('\n'), /leaves out/)
})
