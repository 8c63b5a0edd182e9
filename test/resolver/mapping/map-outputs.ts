import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { Frame } from '../../../src/core/frame.ts'
import { mapFrames } from '../../../src/resolver/mapping/map-frames.ts'
import { isOutputFile, type OutputReader, withOutputs } from '../../../src/resolver/mapping/outputs.ts'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { numberedFile } from '../../fakes/memory-code-reader.ts'
import { frame } from './map-one.ts'

export type Files = Record<string, string>

interface Build {
  files: Files
  trace: string
}

/** A program of three files as compilers and bundlers really wrote it, with the trace of its crash. */
export const SHOP = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/compiled/shop.json'), 'utf8'),
) as {
  sources: Files
  builds: Record<string, Build>
}

/** A frame of compiled code, whose column is needed to find its source. */
export const compiledFrame = (file: string, place: Partial<Frame> = {}): Frame =>
  frame(file, { line: 1, column: 12, ...place })

/** Maps frames where the commit tracks more than the index holds. */
export async function mapTracked(
  indexed: Files,
  tracked: Files,
  frames: readonly Frame[],
  options: Parameters<typeof mapFrames>[3] = {},
) {
  const asked: string[] = []
  const all = new Map(Object.entries({ ...indexed, ...tracked }))
  const list = [...all.keys()].filter(path => isOutputFile(path, 1)).map(path => ({ repository: 'shop', path }))
  const reader: OutputReader = {
    list: async () => {
      asked.push('list')
      return list
    },
    read: async (_repository, path) => {
      asked.push(path)
      return all.get(path) ?? null
    },
  }
  const files = Object.keys(indexed).map(path => ({ repository: 'shop', path }))
  const mapped = await withOutputs(
    outputs => mapFrames(frames, files, (_, path) => indexed[path] ?? null, { ...options, outputs }),
    ['shop'],
    reader,
  )
  return { mapped, asked }
}

export async function mapOneTracked(
  indexed: Files,
  tracked: Files,
  one: Frame,
  options?: Parameters<typeof mapFrames>[3],
) {
  const {
    mapped: [only],
  } = await mapTracked(indexed, tracked, [one], options)
  if (only === undefined) throw new Error('one frame in, one frame out')
  return only
}

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [folder + path, text]))

/** Line 1 from column 0 is line 1 of the source, from column 10 line 4. */
export const mapTo = (source: string, more: object = {}) =>
  JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAAA,UAGA', ...more })

export const CODE = numberedFile(9)

for (const [tool, { files, trace }] of Object.entries(SHOP.builds)) {
  test(`what ${tool} wrote is mapped to its sources by its source map, although the index has neither`, async t => {
    for (const folder of ['', 'packages/till/']) {
      const { mapped } = await mapTracked(
        below(folder, SHOP.sources),
        below(folder, files),
        parseStackTrace(trace).frames,
      )
      const places = mapped
        .filter(({ inProject }) => inProject)
        .map(({ path, codeLine, match }) => `${path}:${codeLine} ${match}`)
      t.same(
        [...new Set(places)],
        ['main.ts:3', 'checkout.ts:12', 'cart.ts:12'].map(place => `${folder}src/${place} source_map`),
      )
    }
  })
}
