import { test } from 'tap'
import { Value } from 'typebox/value'
import type { LocatedCode, Resolution } from '../../src/core/resolution.ts'
import { readCode, writeCode, writeFound, writeResolution } from '../../src/contract/resolution-json.ts'
import { ResolutionSchema } from '../../src/contract/resolution.ts'
import { toWire } from '../../src/contract/wire.ts'

const SOURCE = {
  repository: 'shop',
  path: 'a.py',
  startLine: 1,
  endLine: 2,
  reason: 'frame' as const,
  score: 0.5,
  tokens: 7,
}

const RESOLUTION: Resolution = {
  id: 'res_1',
  projectName: 'shop',
  commit: 'c'.repeat(40),
  indexState: 'ready',
  exceptions: [
    {
      index: 0,
      type: 'Error',
      message: 'no "quotes" \u2028 \ud800',
      language: 'python',
      relation: 'root',
      count: 1,
      chain: 0,
      fingerprint: null,
    },
  ],
  frames: [
    {
      index: 0,
      exception: 0,
      raw: 'x',
      file: 'a.py',
      line: 1,
      column: null,
      function: 'f',
      repeat: 1,
      sourceText: null,
      inProject: true,
      repository: 'shop',
      path: 'a.py',
      codeLine: 1,
      match: 'exact',
      why: 'path',
      candidates: [],
    },
  ],
  framesTotal: 1,
  notice: 'doubtful',
  sources: [{ ...SOURCE, symbol: null, chunkIndex: null, totalChunks: null, highlightedLines: [1], why: 'line 1' }],
  context: 'def größe ():\n\treturn "\\"',
  contextTokens: 7,
  tokenizer: 'o200k_base',
  dropped: [SOURCE],
  suspectCommits: [
    {
      commit: 'd'.repeat(40),
      author: 'A',
      date: '2026-01-01T00:00:00.000Z',
      summary: 'S',
      path: 'a.py',
      lines: [1],
      score: 1,
      why: 'last',
    },
  ],
  suspectsStatus: 'ok',
  answer: { text: 't', explanation: 'e', fix: 'f', patch: null, patchStatus: 'none' },
  answerStatus: 'ok',
  answerError: null,
  model: 'm',
  redactions: 0,
  usage: { llmCalls: 1, promptTokens: 2, completionTokens: 3, usd: null },
  timingsMs: { parse: 1, map: 2, retrieve: 3, context: 4, llm: 5, total: 15 },
}

/** The schema without room for anything undeclared. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const all = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return 'properties' in all ? { ...all, additionalProperties: false } : all
}

test('written in two parts it is the resolution in the words of the contract, and nothing else', t => {
  const { notice: _notice, redactions: _redactions, ...short } = RESOLUTION
  for (const resolution of [RESOLUTION, { ...short, answer: null }]) {
    const written = JSON.parse(Buffer.concat(writeResolution(resolution, writeFound(resolution))).toString()) as unknown
    t.same(written, JSON.parse(JSON.stringify(toWire(ResolutionSchema, resolution))))
    t.ok(
      Value.Check(closed(ResolutionSchema) as typeof ResolutionSchema, written),
      JSON.stringify([...Value.Errors(closed(ResolutionSchema) as typeof ResolutionSchema, written)]),
    )
  }
  t.end()
})

test('what was not asked of us stays out of it', t => {
  const inside = {
    ...RESOLUTION,
    sources: RESOLUTION.sources.map(source => ({ ...source, secret: 'hidden' })),
    marked: 'hidden',
    suspectCommits: RESOLUTION.suspectCommits.map(commit => ({ ...commit, kind: 'hidden' })),
  }
  t.notMatch(Buffer.concat(writeResolution(inside, writeFound(inside))).toString(), /hidden/)
  t.end()
})

test('what was written is read again as it was', t => {
  const { notice: _notice, ...short } = RESOLUTION
  for (const found of [RESOLUTION, short]) {
    const code: LocatedCode = {
      projectName: found.projectName,
      commit: found.commit,
      indexState: found.indexState,
      exceptions: found.exceptions.map(exception => ({ ...exception, chain: 3 })),
      frames: found.frames.map(frame => ({ ...frame, sourceText: 'x = \ud800' })),
      framesTotal: found.framesTotal,
      ...('notice' in found ? { notice: RESOLUTION.notice } : {}),
      sources: found.sources,
      context: found.context,
      contextTokens: found.contextTokens,
      tokenizer: found.tokenizer,
      dropped: found.dropped,
      marked: { lines: [], tracedAt: 7 },
      degraded: true,
      timingsMs: { parse: 1, map: 2, retrieve: 3, context: 4 },
    }
    t.strictSame(readCode(writeCode(code)), code)
  }
  t.end()
})
