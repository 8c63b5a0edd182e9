import { test } from 'tap'
import {
  isNameWithBlanks,
  quotedIn,
  stripQuotes,
  trimNameEnd,
  unbracketed,
  withoutDecoration,
  withoutRemark,
} from '../../../src/edits/read/plain-name.ts'

test('a line is read without the marks around it', async t => {
  for (const [line, text] of [
    ['### a.py', 'a.py'],
    ['- a.py', 'a.py'],
    ['1. a.py', 'a.py'],
    ['// a.py', 'a.py'],
    ['<!-- a.py -->', 'a.py'],
    ['> 2) **a.py**', '`a.py`'],
    ['[updated] a.py', 'a.py'],
    ['== a.py ==', 'a.py'],
    ['-- a.py --', 'a.py'],
    ['a.py ---', 'a.py'],
    ['a.py <', 'a.py'],
    ['[a.py](b)', 'a.py'],
    ['**a.py (new)**', 'a.py (new)'],
    ['__a.py__', 'a.py'],
    ['____', '____'],
    ['__init__', '__init__'],
    ['*a.py*', 'a.py'],
    ['_a.py_', 'a.py'],
    ['``a.py``', '`a.py`'],
    ['a.py 🚀', 'a.py'],
    ['###', ''],
    ['-a.py', '-a.py'],
  ] as const) {
    t.equal(withoutDecoration(line).text, text, line)
  }
  t.equal(withoutDecoration('# a.py').isHeading, true)
  t.equal(withoutDecoration('- a.py').isHeading, false)
})

test('a name is read without quotes, brackets, remarks and what ends a sentence', async t => {
  t.equal(stripQuotes('`a.py`'), 'a.py')
  t.equal(stripQuotes('“ a.py ”'), 'a.py')
  t.equal(stripQuotes('<a.py>'), 'a.py')
  t.equal(stripQuotes('`a` and `b`'), '`a` and `b`')
  t.equal(stripQuotes('""'), '""')
  t.equal(unbracketed('[a.py]'), 'a.py')
  t.equal(unbracketed('(a.py)'), 'a.py')
  t.equal(unbracketed('{a.py}'), 'a.py')
  t.equal(unbracketed('[slug].ts'), '[slug].ts')
  t.equal(unbracketed('[word]'), '[word]')
  t.equal(withoutRemark('a.py (new)'), 'a.py')
  t.equal(withoutRemark('(new)'), '(new)')
  t.equal(withoutRemark('a.py (new'), 'a.py (new')
  t.equal(trimNameEnd('a.py:. '), 'a.py')
  t.equal(trimNameEnd('a.py`:', '`'), 'a.py')
})

test('what is quoted in a sentence is found in all kinds of quotes', async t => {
  t.same(quotedIn('`a b` (c) "d" “e” «f» \'g\''), ['a b', 'c', 'd', 'e', 'f', 'g'])
  t.same(quotedIn("it's (a b) the user's"), [])
})

test('a name with blanks needs a known extension, and begins with no command', async t => {
  for (const name of ['My Notes.md', 'a.py', 'bin/run']) t.equal(isNameWithBlanks(name), true, name)
  for (const name of ['My Notes.zzz', 'My Notes', 'python main.py', 'Note: a.py', './run a.py', 'word']) {
    t.equal(isNameWithBlanks(name), false, name)
  }
})
