import fc from 'fast-check'
import { test } from 'tap'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { beginsSearchReplace, holdsSearchReplace, searchReplaceEnd } from '../../../src/edits/read/search-replace.ts'
import { runs } from '../../helpers/property-runs.ts'
import { APP, app, checkReplies, F, fenced, SAVED } from '../../helpers/reply-cases.ts'

const OLD = '    with open(path, "w") as f:'
const NEW = '    with open(path, "a") as f:'
const marked = (search: string, replace: string, count = 7): string =>
  `${'<'.repeat(count)} SEARCH\n${search}\n${'='.repeat(count)}\n${replace}\n${'>'.repeat(count)} REPLACE\n`
const EDIT = marked(OLD, NEW)
const IMPORT = marked('import os', 'import os\nimport re')
const BOTH = SAVED.replace('import os', 'import os\nimport re')

test('blocks of SEARCH and REPLACE are read as models write them', async t => {
  checkReplies(t, [
    ['the name above the fence', `src/app.py\n${fenced(EDIT, 'python')}`, app(SAVED)],
    ['the name in bold above the fence', `**src/app.py**\n\n${fenced(EDIT, 'python')}`, app(SAVED)],
    ['the name in the fence', fenced(`src/app.py\n${EDIT}`, 'python'), app(SAVED)],
    ['the name in the fence as a comment', fenced(`# src/app.py\n${EDIT}`, 'python'), app(SAVED)],
    ['the name as info string', fenced(EDIT, 'src/app.py'), app(SAVED)],
    ['the name behind the language', fenced(EDIT, 'python src/app.py'), app(SAVED)],
    ['the name in a sentence', `In \`src/app.py\`, change this:\n${fenced(EDIT, 'python')}`, app(SAVED)],
    ['a fence of diffs', `src/app.py\n${fenced(EDIT, 'diff')}`, app(SAVED)],
    ['without a fence', `src/app.py\n${EDIT}`, app(SAVED)],
    ['several in a fence', `src/app.py\n${fenced(`${IMPORT}\n${EDIT}`, 'python')}`, app(BOTH)],
    ['several in several fences', `src/app.py\n${fenced(IMPORT, 'python')}\n${fenced(EDIT, 'python')}`, app(BOTH)],
    ['several without a fence', `src/app.py\n${IMPORT}\n${EDIT}`, app(BOTH)],
    ['five marks', `src/app.py\n${fenced(marked(OLD, NEW, 5), '')}`, app(SAVED)],
    ['nine marks', `src/app.py\n${fenced(marked(OLD, NEW, 9), '')}`, app(SAVED)],
    [
      'ORIGINAL and UPDATED',
      `src/app.py\n${fenced(`<<<<<<< ORIGINAL\n${OLD}\n=======\n${NEW}\n>>>>>>> UPDATED\n`, '')}`,
      app(SAVED),
    ],
    [
      'the line at which it begins',
      `src/app.py\n${fenced(`<<<<<<< SEARCH\n:start_line:9\n-------\n${OLD}\n=======\n${NEW}\n>>>>>>> REPLACE`, '')}`,
      app(SAVED),
    ],
    ['another indentation', `src/app.py\n${fenced(marked(OLD.trim(), NEW.trim()), 'python')}`, app(SAVED)],
    [
      'two files in a fence',
      fenced(`src/app.py\n${EDIT}\nREADME.md\n${marked('# Old', '# New')}`, ''),
      { 'src/app.py': SAVED, 'README.md': '# New\n' },
      { 'src/app.py': APP, 'README.md': '# Old\n' },
    ],
    [
      'a file that is not there yet',
      `src/new.py\n${fenced('<<<<<<< SEARCH\n=======\nX = 1\n>>>>>>> REPLACE', '')}`,
      { 'src/new.py': 'X = 1\n' },
    ],
    [
      'lines that go',
      `src/app.py\n${fenced('<<<<<<< SEARCH\nimport os\n\n\n=======\n>>>>>>> REPLACE', '')}`,
      app(APP.slice('import os\n\n\n'.length)),
    ],
    ['what is there already', `src/app.py\n${fenced(EDIT, '')}`, {}, { 'src/app.py': SAVED }],
  ])
})

test('stale, ambiguous and broken ones are refused', async t => {
  const twice = { 'src/app.py': `${OLD}\nx\n${OLD}\n` }
  checkReplies(t, [
    ['lines that are not there', `src/app.py\n${fenced(marked('import sys', 'import re'), '')}`, ['not_found']],
    ['lines that are there twice', `src/app.py\n${fenced(EDIT, '')}`, ['ambiguous'], twice],
    ['no name', `Change this:\n${fenced(EDIT, '')}`, ['ambiguous'], { 'src/app.py': APP, 'src/b.py': APP }],
    ['a file that is not there', `src/main.py\n${fenced(EDIT, '')}`, ['no_such_file']],
    ['a path that leads out', `../app.py\n${fenced(EDIT, '')}`, ['bad_path']],
    [
      'nothing to search in a file that is there',
      `src/app.py\n${fenced('<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE', '')}`,
      ['malformed'],
    ],
    ['no end', 'src/app.py\n<<<<<<< SEARCH\nimport os\n', ['truncated']],
    ['no end in a fence', `src/app.py\n${fenced('<<<<<<< SEARCH\nimport os\n=======\nx', '')}`, ['truncated']],
    ['no middle', `src/app.py\n${fenced('<<<<<<< SEARCH\nimport os\n>>>>>>> REPLACE', '')}`, ['malformed']],
    ['two middles', `src/app.py\n${fenced(marked('import os\n=======\nx', 'y'), '')}`, ['malformed']],
    ['two beginnings', `src/app.py\n${fenced(`<<<<<<< SEARCH\n${EDIT}`, '')}`, ['malformed']],
    ['a file that shows such blocks', `notes.md\n${F}\`md\nUse this:\n\n${EDIT}${F}\`\n`, ['malformed']],
    [
      'marks of a conflict',
      `src/app.py\n${fenced('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main', 'python')}`,
      ['malformed'],
    ],
  ])
})

test('a block without an end is told of up to the last line of the reply', async t => {
  const { regions } = readReply('src/app.py\n<<<<<<< SEARCH\nimport os')
  t.match(regions.at(-1), { from: 1, to: 2, as: 'problem' })
})

test('the marks of a block are told from other lines', async t => {
  const lines = ['x', '<<<<<<< SEARCH', 'a', '=======', 'b', '>>>>>>> REPLACE', 'y']
  t.equal(searchReplaceEnd(lines, 1), 5)
  t.equal(searchReplaceEnd(lines, 5), -1)
  t.equal(holdsSearchReplace(lines, { from: 0, to: 2 }), true)
  t.equal(holdsSearchReplace(lines, { from: 0, to: 1 }), false)
  t.equal(holdsSearchReplace(lines, { from: 2, to: 7 }), false)
  for (const line of ['<<<<<<< SEARCH', '<<<<< ORIGINAL', '<<<<<<<SEARCH', '<<<<<<< search']) {
    t.equal(beginsSearchReplace(line), true, line)
  }
  for (const line of ['<<<<<<< x', '<<<< SEARCH', '<<<<<<<<<< SEARCH', 'SEARCH', '<<<<<<< HEAD', ' <<<<<<< SEARCH']) {
    t.equal(beginsSearchReplace(line), false, line)
  }
})

const word = fc.constantFrom('a', 'b', '  c', '', '}', 'def f():', '# d')
const change = fc.record({
  before: fc.array(word, { minLength: 1, maxLength: 12 }),
  from: fc.nat({ max: 11 }),
  count: fc.integer({ min: 1, max: 5 }),
  fresh: fc.array(word, { maxLength: 5 }),
  marks: fc.integer({ min: 5, max: 9 }),
})

test('a block of SEARCH and REPLACE gives the second version of a file or an error, and never a third', async t => {
  let applied = 0
  fc.assert(
    fc.property(change, ({ before, from, count, fresh, marks }) => {
      const start = Math.min(from, before.length - 1)
      const search = before.slice(start, start + count)
      const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')
      const after = text(before.toSpliced(start, search.length, ...fresh))
      const body = `${'<'.repeat(marks)} SEARCH\n${text(search)}${'='.repeat(marks)}\n${text(fresh)}${'>'.repeat(marks)} REPLACE\n`
      const { changed, rejected } = applyEdits(
        new Map([['f.txt', text(before)]]),
        readReply(`f.txt\n${fenced(body, '')}`),
      )
      const result = changed.get('f.txt') ?? text(before)
      if (rejected.length > 0) return result === text(before)
      applied++
      return result === after || result.split('\n').join('') === after.split('\n').join('')
    }),
    { numRuns: runs(4000) },
  )
  t.ok(applied > runs(4000) / 5, `${applied} were applied`)
})
