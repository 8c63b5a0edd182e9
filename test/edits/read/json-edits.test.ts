import { test } from 'tap'
import { jsonEnd, looksLikeCall, readJsonEdits } from '../../../src/edits/read/json-edits.ts'

const read = (value: unknown): unknown => readJsonEdits(JSON.stringify(value), 0)
const file = { files: [{ path: 'a.py', content: 'x\n' }] }

test('files and calls are read out of JSON, however they are wrapped', async t => {
  for (const value of [
    { path: 'a.py', content: 'x\n' },
    [{ filename: 'a.py', code: 'x\n', language: 'python' }],
    { files: [{ name: 'a.py', content: 'x\n' }], summary: 'one' },
    { tool_calls: [{ function: { name: 'create_file', arguments: '{"path":"a.py","content":"x\\n"}' } }] },
    { type: 'tool_use', name: 'Write', input: { file_path: 'a.py', content: 'x\n' } },
    [
      { tool: 'think', args: { thought: 'so' } },
      { tool: 'write_file', args: { path: 'a.py', content: 'x\n' } },
    ],
  ]) {
    t.match(read(value), file, JSON.stringify(value))
  }
  t.match(read({ new_str: 'y', old_str: 'x', path: 'a.py' }), { diffs: [{ newPath: 'a.py', hunks: [{ number: 1 }] }] })
  t.match(read({ path: '../a', content: 'x' }), { files: [], problems: [{ reason: 'bad_path' }] })
})

test('what is no edit, or not all understood, is not read as one', async t => {
  for (const value of [{ name: 'Ann', text: 'hello' }, { path: 'a.py' }, [1, 2], 'x', { files: [] }, null]) {
    t.equal(read(value), null, JSON.stringify(value))
  }
  for (const more of [{ replace_all: true }, { mode: 'append' }, { action: 'append' }]) {
    t.same(read({ path: 'a.py', content: 'x', ...more }), { unplaced: true }, JSON.stringify(more))
  }
  t.same(read({ path: 'a.py', old_str: 'a\n', new_str: 'b' }), { unplaced: true }, 'lines that would be joined')
  t.equal(readJsonEdits('{"path": "a.py", "content": "x', 0), null)
})

test('a value in JSON ends where its first bracket is closed', async t => {
  const lines = ['{', '"a": "}\\"{",', '"b": []', '}', 'x', '{"c": 1} and', '{']
  t.equal(jsonEnd(lines, 0, 9), 3)
  t.equal(jsonEnd(lines, 0, 2), -1)
  t.equal(jsonEnd(lines, 5, 9), -1)
  t.equal(jsonEnd(lines, 6, 9), -1)
  t.ok(looksLikeCall('{"path": "a", "old_str": "'))
  t.notOk(looksLikeCall('{"path": "a", "size": 3}'))
})
