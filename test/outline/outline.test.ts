import { test } from 'tap'
import fc from 'fast-check'
import { lineStarts } from '../../src/core/source-text.ts'
import { createScopeChunker } from '../../src/indexer/chunker.ts'
import { OUTLINED_LANGUAGES, outlineOf } from '../../src/outline/outline.ts'
import { runs } from '../helpers/property-runs.ts'

const PIECES = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '<',
  '>',
  '\n',
  '\n',
  '\n    ',
  '\n  ',
  ' ',
  '"',
  "'",
  '`',
  '"""',
  '${',
  '#{',
  '\\',
  '/',
  '//',
  '/*',
  '*/',
  '#',
  '#if x\n',
  '#else\n',
  '#endif\n',
  '<<EOS\n',
  'EOS\n',
  '=',
  '=>',
  ':',
  '::',
  ';',
  ',',
  '.',
  '-',
  '@',
  'def',
  'class',
  'function',
  'fn',
  'func',
  'fun',
  'end',
  'do',
  'if',
  'async',
  'const',
  'impl',
  'struct',
  'enum',
  'interface',
  'trait',
  'object',
  'module',
  'namespace',
  'template',
  'operator',
  'create',
  'begin',
  'table',
  'case',
  'type',
  'import',
  'from',
  'use',
  'package',
  'return',
  'new',
  'name',
  'a',
  'B',
  '1',
  'é',
]
const sources = fc.array(fc.constantFrom(...PIECES), { maxLength: 120 }).map(pieces => pieces.join(''))
const texts = fc.oneof(
  sources,
  fc.string({ unit: 'binary', maxLength: 200 }).map(text => text.replaceAll('\r', '\n')),
)

test('languages without a scanner have no outline', async t => {
  t.equal(outlineOf('a: 1\n', 'yaml'), null)
  t.same(outlineOf('', 'python'), { scopes: [], imports: [] })
})

test('any text has an outline whose scopes lie inside of it, in order, each within its parent', async t => {
  for (const language of OUTLINED_LANGUAGES) {
    fc.assert(
      fc.property(texts, text => {
        const outline = outlineOf(text, language)
        const lines = lineStarts(text).length
        if (outline === null) return false
        const { scopes, imports } = outline
        return (
          JSON.stringify(outlineOf(text, language)) === JSON.stringify(outline) &&
          imports.every(({ line }) => line >= 1 && line <= lines) &&
          scopes.every((scope, index) => {
            const parent = scope.parent === null ? undefined : scopes[scope.parent]
            return (
              scope.leadLine >= 1 &&
              scope.leadLine <= scope.startLine &&
              scope.startLine <= scope.endLine &&
              scope.endLine <= lines &&
              scope.startLine >= (scopes[index - 1]?.startLine ?? 0) &&
              (scope.parent === null ||
                (scope.parent < index &&
                  parent !== undefined &&
                  parent.startLine <= scope.startLine &&
                  parent.endLine >= scope.endLine))
            )
          })
        )
      }),
      { numRuns: runs(150) },
    )
  }
  t.pass()
})

test('the chunks of any text cover it', async t => {
  const { chunk } = createScopeChunker()
  for (const language of OUTLINED_LANGUAGES) {
    fc.assert(
      fc.property(texts, text => {
        const chunks = chunk(text, language)
        return (
          (chunks.at(-1)?.endLine ?? 0) === lineStarts(text).length &&
          chunks.every(
            ({ startLine, endLine }, index) =>
              endLine - startLine < 60 && startLine <= (chunks[index - 1]?.endLine ?? 0) + 1,
          )
        )
      }),
      { numRuns: runs(50) },
    )
  }
  t.pass()
})
