// What one more commit sends to where indexes are kept for other machines, and what another machine fetches of it.
// usage: node bench/transport.bench.ts REPOSITORY.git [COMMITS]
// The repository is indexed as the server does it, a few commits before its HEAD; then one commit at a time follows.
// After each the published generation is described and sent by pieces, each compressed by itself, and put together
// again in a second folder. Beside it stands what whole files would take. Wall times are those of the machine as it is;
// "fresh" is the processor time of a machine that has nothing yet, for the first and the last of them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createLocalEmbedder } from '../src/embedding/local-embedder.ts'
import { LSA } from '../src/embedding/lsa/lsa.ts'
import { indexRepository } from '../src/indexer/index-repository.ts'
import { listTree, readBlobs } from '../src/repos/objects/objects.ts'
import { learnInThread } from '../src/threads/fit-thread.ts'
import { contentTools, countRowsOf } from '../src/threads/content-worker.ts'
import { foldingVectors } from '../src/services/generation-transport.ts'
import { openStore } from '../src/vecstore/store.ts'
import { assembleGeneration, type Assembly, type FetchPiece } from '../src/vecstore/transport/assemble-generation.ts'
import { encodeDescription, piecesOf, type GenerationDescription } from '../src/vecstore/transport/description.ts'
import { describeGeneration } from '../src/vecstore/transport/describe-generation.ts'
import type { DescribedGeneration } from '../src/vecstore/transport/described-generation.ts'
import { timed } from './measure.ts'

const BAR_BYTES = 4e6
const LEVEL = 3
/** A file of this size that is written anew is named: the graph, the learned space, merged segments. */
const LARGE_BYTES = 1_000_000

interface Sent {
  objects: number
  bytes: number
  compressed: number
}

interface Step {
  commit: string
  chunks: string
  whole: Sent
  pieces: Sent
  piecesTotal: number
  descriptionBytes: number
  describeMs: number
  describeAloneMs: number
  assembleMs: number
  assembly: Assembly
  rewritten: string[]
}

const compress = (bytes: Uint8Array): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const [repository, count = '12'] = process.argv.slice(2)
if (repository === undefined) {
  console.error('usage: node bench/transport.bench.ts REPOSITORY.git [COMMITS]')
  process.exit(2)
}

const fold = foldingVectors()
/** Stands for the object store. */
const objects = new Map<string, Buffer>()
const wholeFiles = new Set<string>()
const fetchPiece: FetchPiece = async ({ sha256 }) => zstdDecompressSync(objects.get(sha256) ?? Buffer.alloc(0))

async function sendPieces(described: DescribedGeneration): Promise<Sent> {
  const sent: Sent = { objects: 1, bytes: 0, compressed: compress(encodeDescription(described.description)).length }
  for (const [sha256, { bytes }] of piecesOf(described.description)) {
    if (objects.has(sha256)) continue
    const packed = compress(await described.readPiece(sha256))
    objects.set(sha256, packed)
    sent.objects++
    sent.bytes += bytes
    sent.compressed += packed.length
  }
  return sent
}

/** What was sent before pieces: each file whose content is new. */
function sendWhole(folder: string, { files }: GenerationDescription): Sent & { rewritten: string[] } {
  const sent = { objects: 0, bytes: 0, compressed: 0, rewritten: Array<string>() }
  for (const { path, bytes, sha256 } of files) {
    if (wholeFiles.has(sha256)) continue
    wholeFiles.add(sha256)
    sent.objects++
    sent.bytes += bytes
    sent.compressed += compress(readFileSync(join(folder, path))).length
    if (bytes > LARGE_BYTES && path !== 'catalogue.sqlite') sent.rewritten.push(path)
  }
  return sent
}

function requireSame(folder: string, otherFolder: string, { files }: GenerationDescription): void {
  for (const { path, sha256 } of files) {
    if (digestOf(readFileSync(join(otherFolder, path))) !== sha256) throw new Error(`${folder}/${path} differs.`)
  }
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(2).padStart(6)
const ms = (value: number): string => `${Math.round(value)} ms`.padStart(7)

function print(step: Step): void {
  const { whole, pieces, assembly } = step
  console.log(
    `${step.commit.slice(0, 10)} ${step.chunks.padEnd(14)} whole ${String(whole.objects).padStart(2)} files` +
      `${mb(whole.bytes)} → ${mb(whole.compressed)} MB; pieces ${String(pieces.objects).padStart(3)} of ` +
      `${step.piecesTotal},${mb(pieces.bytes)} → ${mb(pieces.compressed)} MB; describe${ms(step.describeMs)} ` +
      `(alone${ms(step.describeAloneMs)}, ${(step.descriptionBytes / 1e3).toFixed(1)} kB), put together` +
      `${ms(step.assembleMs)}, fetched${mb(assembly.bytesFetched)}, had${mb(assembly.bytesReused)} MB` +
      (step.rewritten.length === 0 ? '' : `; anew: ${step.rewritten.join(', ')}`),
  )
}

/** What it takes where there is nothing yet. */
async function assembleFresh(description: GenerationDescription): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-fresh-'))
  try {
    const before = process.cpuUsage()
    await assembleGeneration(folder, description, fetchPiece, { fold, learn: learnInThread })
    const { user, system } = process.cpuUsage(before)
    console.log(`fresh: ${ms((user + system) / 1e3)} of processor time`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The last first parents of HEAD, the oldest first. */
const commitsOf = (gitDir: string, most: number): string[] =>
  execFileSync('git', ['--git-dir', gitDir, 'rev-list', '--first-parent', `--max-count=${most}`, 'HEAD'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .reverse()

const root = mkdtempSync(join(tmpdir(), 'faultline-transport-'))
try {
  const store = openStore(join(root, 'store'), { minFreeBytes: 0 })
  const deps = {
    ...contentTools({ chunker: 'scopes' }),
    listTree,
    readBlobs,
    store,
    embedder: createLocalEmbedder(),
    learned: LSA,
    countRowsOf,
  }
  const projectDir = join(root, 'store', 'bench')
  const otherDir = join(root, 'other', 'bench')
  mkdirSync(otherDir, { recursive: true })
  let previous: GenerationDescription | null = null
  const steps: Step[] = []
  for (const commit of commitsOf(repository, Number(count) + 1)) {
    const indexed = { repository: 'repo', gitDir: repository, url: 'https://example.com/repo', branch: null, commit }
    const request = { projectName: 'bench', repository: indexed, include: [], exclude: [] }
    const { chunksAdded, chunksRemoved } = await indexRepository(request, deps)
    const current = readFileSync(join(projectDir, 'CURRENT'), 'utf8').trim()
    const alone = await timed(() => describeGeneration(projectDir, Number(current), { fold }))
    await alone.value[Symbol.asyncDispose]()
    const { value, ms: describeMs } = await timed(() =>
      describeGeneration(projectDir, Number(current), { previous, fold }),
    )
    await using described = value
    const { description } = described
    const pieces = await sendPieces(described)
    const { rewritten, ...whole } = sendWhole(join(projectDir, current), description)
    const { value: assembly, ms: assembleMs } = await timed(() =>
      assembleGeneration(otherDir, description, fetchPiece, { fold, learn: learnInThread }),
    )
    requireSame(join(projectDir, current), join(otherDir, current), description)
    const step: Step = {
      commit,
      chunks: `+${chunksAdded} -${chunksRemoved}`,
      whole,
      pieces,
      piecesTotal: piecesOf(description).size,
      descriptionBytes: encodeDescription(description).length,
      describeMs,
      describeAloneMs: alone.ms,
      assembleMs,
      assembly,
      rewritten: previous === null ? [] : rewritten,
    }
    print(step)
    steps.push(step)
    previous = description
    if (steps.length === 1 || steps.length > Number(count)) await assembleFresh(description)
  }
  const [, ...later] = steps
  const plain = later.filter(({ rewritten }) => rewritten.length === 0)
  const spread = (of: readonly Step[], take: (step: Step) => number): string => {
    const sorted = of.map(take).toSorted((a, b) => a - b)
    const at = (share: number) => mb(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN)
    const above = sorted.filter(bytes => bytes > BAR_BYTES).length
    return `median${at(0.5)}, 95 %${at(0.95)}, most${at(1)} MB, ${above} above the bar`
  }
  console.log(`one more commit (${later.length}), whole files: ${spread(later, ({ whole }) => whole.compressed)}`)
  console.log(`one more commit (${later.length}), pieces: ${spread(later, ({ pieces }) => pieces.compressed)}`)
  console.log(
    `those that wrote no large file anew (${plain.length}), pieces: ` +
      `${spread(plain, ({ pieces }) => pieces.compressed)}; bar${mb(BAR_BYTES)} MB`,
  )
  console.log(`all of them, whole files:${mb(later.reduce((sum, { whole }) => sum + whole.compressed, 0))} MB`)
  console.log(`all of them, pieces:${mb(later.reduce((sum, { pieces }) => sum + pieces.compressed, 0))} MB`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
