import { test } from 'tap'
import { readToolCall } from '../../../src/edits/read/tool-call.ts'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'

const FILE = 'one\ntwo\nthree\n'
const MORE = `${FILE}four\n`
const UNCLEAR = 'unplaced'

/** What a call makes of a.txt; why it makes nothing of it. */
function called(verb: string, fields: Record<string, string>): string {
  const read = readToolCall(verb, Object.entries(fields), 0)
  if ('unplaced' in read) return UNCLEAR
  if ('aside' in read) return read.aside
  const { changed, rejected } = applyEdits(new Map([['a.txt', FILE]]), read)
  return [...changed.values(), ...rejected.map(({ reason, detail }) => `${reason}: ${detail}`)].join('\n')
}

const path = 'a.txt'

test('a call replaces, writes or inserts what its fields say', async t => {
  t.equal(called('str_replace', { path, old_str: 'two', new_str: '2' }), 'one\n2\nthree\n')
  t.equal(called('', { path, old_str: 'two', new_str: '2' }), 'one\n2\nthree\n')
  t.equal(called('str_replace', { path, old_str: 'two\n', new_str: '2\n' }), 'one\n2\nthree\n')
  t.equal(called('str_replace', { path, old_str: 'two\n', new_str: '' }), 'one\nthree\n')
  t.equal(
    called('', { path, old_str: 'one', new_str: '1', search: 'three', replace: '3' }),
    '1\ntwo\n3\n',
    'several pairs',
  )
  t.equal(called('write_file', { path, content: MORE }), MORE)
  t.equal(called('', { file_path: path, code: MORE }), MORE)
  t.equal(called('', { command: 'create', path, file_text: MORE }), MORE, 'the verb is a field')
  t.equal(called('insert', { path, insert_line: '2', new_str: 'x' }), 'one\ntwo\nx\nthree\n')
  t.equal(called('', { command: 'insert', path, line: '1', text: 'x\ny\n' }), 'one\nx\ny\ntwo\nthree\n')
  t.equal(called('', { content: MORE, path }), MORE, 'the path comes last')
})

test('a diff within a call is read where it searches and replaces', async t => {
  const diff = '<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE'
  t.equal(called('apply_diff', { path, diff }), 'one\n2\nthree\n')
  t.match(called('apply_diff', { path, diff: '@@ -1 +1 @@\n-one\n+1' }), /malformed: .*unified diff in a fence/)
  t.match(called('apply_diff', { path: '../a', diff }), /^bad_path/)
})

test('a call that looks at files or runs something changes nothing', async t => {
  t.equal(called('view', { path }), 'command')
  t.equal(called('bash', { command: 'ls' }), 'command')
  t.equal(called('', { description: 'so' }), 'command')
})

test('commands of a call are those of a block of commands', async t => {
  const document = "cat > a.txt <<'E'\nfour\nfive\nE"
  t.equal(called('bash', { command: document }), 'four\nfive\n')
  t.equal(called('run_terminal_cmd', { command: document, explanation: 'so' }), 'four\nfive\n')
  t.equal(called('shell', { command: JSON.stringify(['bash', '-lc', document]) }), 'four\nfive\n')
  t.equal(called('bash', { command: `${document}\nsed -i s/x/y/ b.txt` }), UNCLEAR)
  t.equal(called('container.exec', { cmd: '["sed", "-i", "s/x/y/", "a.txt"]' }), UNCLEAR)
  t.equal(called('container.exec', { cmd: '["npm", "test"]' }), 'command')
  t.equal(called('bash', { command: '["rm' }), 'command', 'no list')
  t.equal(called('run_edit', { path, old_str: 'two', new_str: '2' }), UNCLEAR, 'it edits, by a name that says nothing')
  t.same(readToolCall('bash', [['command', 'ls && rm a.txt']], 0), {
    aside: 'command',
    deletions: [{ path: 'a.txt', text: 'ls && rm a.txt' }],
  })
})

test('a call that is not all understood is asked about', async t => {
  for (const [verb, fields] of [
    ['str_replace', { path, old_str: 'two' }],
    ['str_replace', { path, new_str: '2' }],
    ['str_replace', { old_str: 'two', new_str: '2' }],
    ['str_replace', { path, old_str: 'one', search: 'two', new_str: '2' }],
    ['str_replace', { path, old_str: 'two', new_str: '2', replace_all: 'true' }],
    ['str_replace', { path, old_str: 'two\n', new_str: '2' }],
    ['create', { path, old_str: 'two', new_str: '2' }],
    ['append', { path, content: 'x' }],
    ['', { content: 'x' }],
    ['insert', { path, new_str: 'x' }],
    ['insert', { path, insert_line: 'last', new_str: 'x' }],
    ['insert', { path, insert_line: '1.5', new_str: 'x' }],
  ] as const) {
    t.equal(called(verb, fields), UNCLEAR, `${verb} ${JSON.stringify(fields)}`)
  }
})
