import { test } from 'tap'
import { rehearsalTrace } from '../../src/resolver/rehearsal.ts'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'

const NAMES = ['read', 'check', 'write']
const file = (i: number) => ({
  repository: 'shop',
  path: `app/part_${i}.py`,
  language: 'python',
  lines: 9,
  oid: `${i}`,
})

/** Files of three functions of three lines each. */
const readerOf = (count: number, defined = true) => ({
  files: () => Array.from({ length: count }, (_, i) => file(i)),
  fileText: (_repository: string, path: string) =>
    NAMES.map(name => `def ${name}():\n    ${name}_in("${path}")\n    return 1\n`).join(''),
  definitionsIn: (repository: string, path: string) =>
    NAMES.flatMap((name, i) =>
      defined
        ? [
            {
              name,
              kind: 'function' as const,
              container: null,
              repository,
              path,
              startLine: 3 * i + 1,
              endLine: 3 * i + 3,
            },
          ]
        : [],
    ),
})

test('a made trace goes through functions of the index, each turn through others', async t => {
  const traces = [0, 1, 2].map(turn => parseStackTrace(rehearsalTrace(readerOf(100), turn) ?? ''))
  for (const { frames, exceptions } of traces) {
    t.equal(frames.length, 9)
    t.equal(exceptions[0]?.type, 'AttributeError')
    for (const { file: path, line, function: name } of frames) {
      t.match(path, /^\/app\/app\/part_\d+\.py$/)
      t.equal(line, 3 * NAMES.indexOf(name ?? '') + 2, 'inside of the function')
    }
  }
  t.equal(new Set(traces.map(({ frames }) => frames.map(({ file }) => file).join())).size, 3)
  t.equal(new Set(traces.map(({ frames }) => frames[0]?.function)).size, 3)
})

test('the failing line is quoted as the file has it', async t => {
  t.match(
    rehearsalTrace(readerOf(1), 0),
    '  File "/app/app/part_0.py", line 2, in read\n    read_in("app/part_0.py")\n',
  )
})

test('there is none where nothing is defined', async t => {
  t.equal(rehearsalTrace(readerOf(0), 0), null)
  t.equal(rehearsalTrace(readerOf(30, false), 0), null)
})
