import { test } from 'tap'
import fc from 'fast-check'
import { lineStarts } from '../../src/core/source-text.ts'
import type { Scope } from '../../src/core/outline.ts'
import { createLineChunker, createScopeChunker } from '../../src/indexer/chunker.ts'

const chunker = createLineChunker()
const linesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => (i % 7 === 0 ? '' : `line ${i + 1}`))

test('a file of up to 500 lines is one chunk', async t => {
  t.same(
    chunker.chunk(linesOf(500).join('\n') + '\n', 'python').map(({ startLine, endLine }) => [startLine, endLine]),
    [[1, 500]],
  )
  t.same(chunker.chunk('x', 'python'), [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: 1 }])
})

test('a longer file is cut into windows of 500 lines that share 50', async t => {
  const ranges = chunker.chunk(linesOf(1200).join('\n') + '\n', 'python')
  t.same(
    ranges.map(({ startLine, endLine }) => [startLine, endLine]),
    [
      [1, 500],
      [451, 950],
      [901, 1200],
    ],
  )
})

test('a window that reaches the end is the last one', async t => {
  t.same(
    chunker.chunk(linesOf(950).join('\n'), 'python').map(({ endLine }) => endLine),
    [500, 950],
  )
  t.same(
    chunker.chunk(linesOf(951).join('\n'), 'python').map(({ startLine, endLine }) => [startLine, endLine]),
    [
      [1, 500],
      [451, 950],
      [901, 951],
    ],
  )
})

test('an empty file has no chunk, and blank lines are lines', async t => {
  t.same(chunker.chunk('', 'python'), [])
  t.same(chunker.chunk('\n\n', 'python'), [{ startLine: 1, endLine: 2, startOffset: 0, endOffset: 2 }])
})

test('every line is covered, overlaps are exact, and the text of a range is its lines', async t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_600 }), fc.boolean(), (count, endsWithNewline) => {
      const lines = linesOf(count).map(line => `${line}\n`)
      if (!endsWithNewline) lines.push('end')
      const text = lines.join('')
      const ranges = chunker.chunk(text, 'python')
      return (
        ranges[0]?.startLine === 1 &&
        ranges.at(-1)?.endLine === lines.length &&
        ranges.every(
          (range, i) =>
            text.slice(range.startOffset, range.endOffset) ===
              lines.slice(range.startLine - 1, range.endLine).join('') &&
            lineStarts(text.slice(range.startOffset, range.endOffset)).length === range.endLine - range.startLine + 1 &&
            (i === ranges.length - 1 ||
              (range.endLine - range.startLine === 499 && ranges[i + 1]?.startLine === range.endLine - 49)),
        )
      )
    }),
  )
  t.pass()
})

const scoped = createScopeChunker()
const spans = (text: string, language: string): number[][] =>
  scoped.chunk(text, language).map(({ startLine, endLine }) => [startLine, endLine])
const pythonFunction = (name: string, lines: number): string => `def ${name}():\n${'    x = 1\n'.repeat(lines - 1)}`

test('definitions that fit into a chunk are not cut, and small neighbours share one', async t => {
  t.same(spans(pythonFunction('a', 20) + pythonFunction('b', 25) + pythonFunction('c', 5), 'python'), [
    [1, 20],
    [21, 50],
  ])
  t.same(spans(pythonFunction('a', 8) + pythonFunction('b', 8) + pythonFunction('c', 8), 'python'), [[1, 24]])
})

test('the comment and the decorators above a definition are in its chunk', async t => {
  t.same(spans(`${pythonFunction('a', 30)}\n# why b is\n@cached(\n    1,\n)\n${pythonFunction('b', 30)}`, 'python'), [
    [1, 30],
    [31, 65],
  ])
})

test('a long definition is cut into windows that share ten lines, a class first at its methods', async t => {
  t.same(spans(pythonFunction('a', 130), 'python'), [
    [1, 60],
    [51, 110],
    [101, 130],
  ])
  const method = (name: string): string => pythonFunction(name, 40).replace(/^/gm, '    ').trimEnd()
  t.same(spans(`class A:\n${method('a')}\n${method('b')}\n`, 'python'), [
    [1, 41],
    [42, 81],
  ])
})

test('windows of 60 lines that share ten where there is no outline', async t => {
  t.same(spans(linesOf(130).join('\n'), 'yaml'), [
    [1, 60],
    [51, 110],
    [101, 130],
  ])
  t.same(spans(linesOf(60).join('\n'), 'yaml'), [[1, 60]])
  t.same(spans('', 'yaml'), [])
})

test('an outline that the caller has is used as it is', async t => {
  t.same(scoped.chunk(linesOf(130).join('\n'), 'python', null).length, 3)
  const scopes: Scope[] = [{ name: 'a', kind: 'function', startLine: 11, endLine: 70, leadLine: 11, parent: null }]
  t.same(
    scoped
      .chunk(linesOf(130).join('\n'), 'python', { scopes, imports: [] })
      .map(({ startLine, endLine }) => [startLine, endLine]),
    [
      [1, 10],
      [11, 70],
      [71, 130],
    ],
  )
})

/** Scopes as an outline has them: in order, each inside of its parent or behind it. */
const outlines = fc.array(fc.tuple(fc.nat(40), fc.nat(150), fc.nat(4)), { maxLength: 30 }).map(items => {
  const scopes: Scope[] = []
  let at = 1
  for (const [gap, length, lead] of items) {
    const startLine = at + gap + lead
    scopes.push({
      name: 'x',
      kind: 'class',
      startLine,
      endLine: startLine + length,
      leadLine: startLine - lead,
      parent: null,
    })
    const parent = scopes.length - 1
    for (let child = startLine + 1; child + 12 <= startLine + length; child += 15) {
      scopes.push({ name: 'y', kind: 'function', startLine: child, endLine: child + 12, leadLine: child, parent })
    }
    at = startLine + length + 1
  }
  return { scopes, lines: at + 20 }
})

test('scope chunks cover every line, are at most 60 lines long, and never cut a definition that fits', async t => {
  fc.assert(
    fc.property(outlines, ({ scopes, lines }) => {
      const text = 'x\n'.repeat(lines)
      const chunks = scoped.chunk(text, 'python', { scopes, imports: [] })
      const isCovering =
        scopes.length === 0 ||
        chunks.every(
          (chunk, i) =>
            chunk.startLine <= (chunks[i - 1]?.endLine ?? 0) + 1 && chunk.startLine > (chunks[i - 1]?.startLine ?? 0),
        )
      return (
        isCovering &&
        chunks.at(-1)?.endLine === lines &&
        chunks.every(({ startLine, endLine }) => endLine - startLine < 60) &&
        scopes.every(
          ({ startLine, endLine }) =>
            endLine - startLine >= 60 || chunks.some(chunk => chunk.startLine <= startLine && chunk.endLine >= endLine),
        )
      )
    }),
  )
  t.pass()
})
