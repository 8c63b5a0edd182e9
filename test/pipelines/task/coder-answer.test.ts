import fc from 'fast-check'
import { test } from 'tap'
import { jsonValuesIn } from '../../../src/llm/json/json-text.ts'
import { readCoderAnswer, type CoderAnswer } from '../../../src/pipelines/task/coder-answer.ts'
import { editsOfFiles } from '../../../src/pipelines/task/coder-edits.ts'
import { runs, scaled } from '../../helpers/property-runs.ts'

const read = (text: string): CoderAnswer => readCoderAnswer(text, jsonValuesIn)
const NOTHING_KNOWN = { paths: new Set<string>(), whole: new Set<string>(), gone: new Set<string>() }

const file = fc.record({
  path: fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('a.js', '../x', '.git/config', '/etc/x', 'C:\\x', 'a/../b'),
  ),
  action: fc.constantFrom('create', 'update', 'delete', 'Modify', null),
  content: fc.oneof(fc.string(), fc.constantFrom('--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-a\n+b\n', '```\nx\n```', '\0')),
})
const answer = fc.record({ thinking: fc.string(), files: fc.array(file, { minLength: 1 }), commitMessage: fc.string() })

test('an answer is read as it is, whatever stands in it, in a fence or between prose', t => {
  fc.assert(
    fc.property(answer, fc.constantFrom('', 'Here it is:\n\n', '```json\n'), (given, before) => {
      const text = `${before}${JSON.stringify(given)}\n${before.startsWith('```') ? '```' : ''}`
      const got = read(text)
      if (given.files.some(({ path }) => path.trim() === '')) return 'problems' in got
      return (
        'files' in got &&
        got.thinking === given.thinking &&
        got.commitMessage === given.commitMessage &&
        got.files.every(
          ({ path, content }, i) => path === given.files[i]?.path.trim() && content === given.files[i]?.content,
        )
      )
    }),
    { numRuns: runs(2000) },
  )
  t.end()
})

test('every file of an answer is an edit or a problem, and none leaves the project', t => {
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 8 }), files => {
      const got = read(JSON.stringify({ files }))
      if (!('files' in got)) return true
      const { files: blocks, diffs, problems } = editsOfFiles(got.files, '', NOTHING_KNOWN)
      const paths = [
        ...blocks.map(({ path }) => path),
        ...diffs.flatMap(({ oldPath, newPath }) => oldPath ?? newPath ?? []),
      ]
      const named = new Set([...paths, ...problems.map(({ path, detail }) => path ?? detail)])
      return (
        named.size >= Math.min(1, files.length) &&
        paths.every(path => !path.startsWith('/') && !path.split('/').some(part => part === '..' || part === '.git'))
      )
    }),
    { numRuns: runs(2000) },
  )
  t.end()
})

test('no text breaks the reading: there are files, edits or problems', t => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '{',
      '}',
      '[',
      '"',
      '\\',
      '"files": [',
      '```',
      '\n@@ -1 +1 @@\n',
      '--- a/x\n+++ b/x\n',
      '{"files":[]}',
    ),
    answer.map(given => JSON.stringify(given)),
  )
  fc.assert(
    fc.property(fc.array(piece), pieces => {
      const got = read(pieces.join(''))
      return 'problems' in got ? got.problems.length > 0 && got.problems.every(problem => problem !== '') : true
    }),
    { numRuns: runs(2000) },
  )
  t.end()
})

test('an answer that was cut anywhere is no answer', t => {
  const text = JSON.stringify({
    thinking: 'a {"files": []} b',
    files: [
      { path: 'a.js', action: 'create', content: 'let a = {}\n' },
      { path: 'b.js', action: 'create', content: 'let b = []\n' },
    ],
    commitMessage: 'Add',
  })
  for (let end = 0; end < text.length; end++) t.ok('problems' in read(text.slice(0, end)), text.slice(0, end))
  t.end()
})

test('files without the object around them are read where they are all of the reply', t => {
  const files = [
    { path: 'a.js', action: 'update', content: 'let a\n' },
    { path: 'b.js', action: 'create', content: 'let b\n' },
  ]
  t.match(read(JSON.stringify(files)), { files })
  t.match(read(`\`\`\`json\n${JSON.stringify(files[0])}\n\`\`\``), { files: [files[0]] })
  t.match(read(JSON.stringify(files).slice(0, -20)), { problems: [/JSON/] })
  t.end()
})

test('JSON of another form is no answer, and no file', t => {
  const content = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n'
  for (const other of [{ edits: [{ path: 'a.txt', content }] }, { files: { 'a.txt': content } }, [1, 2], {}]) {
    t.ok('problems' in read(JSON.stringify(other)), JSON.stringify(other))
  }
  t.end()
})

test('huge and hostile answers take no time', t => {
  const big = scaled(5_000_000)
  const started = performance.now()
  t.ok('problems' in read('{"files": ['.repeat(big / 20)))
  t.ok('problems' in read('['.repeat(big)))
  t.match(read(JSON.stringify({ files: [{ path: 'a.js', action: 'create', content: 'x\n'.repeat(big / 2) }] })), {
    files: [{ path: 'a.js' }],
  })
  t.ok('problems' in read(`{"files": "${'a'.repeat(big)}`))
  t.ok(performance.now() - started < 10_000)
  t.end()
})
