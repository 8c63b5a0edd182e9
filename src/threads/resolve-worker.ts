import { join } from 'node:path'
import { CacheBudget, threadCaches } from '../core/cache-budget.ts'
import { FaultlineError } from '../core/errors.ts'
import type { ParsedTrace } from '../core/frame.ts'
import type { CodeInputs, HistoryPlace, LineCommits, PinnedCommit } from '../core/code-tools.ts'
import type { SearchAnswer, WrittenCode } from '../core/resolution.ts'
import { writeCode } from '../contract/resolution-json.ts'
import { decodeSource } from '../core/source-text.ts'
import { createApiEmbedder } from '../embedding/api-embedder.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { createLocalEmbedder } from '../embedding/local-embedder.ts'
import { LSA } from '../embedding/lsa/lsa.ts'
import { createLineChunker, createScopeChunker } from '../indexer/chunker.ts'
import { selectFiles, type TrackedFile } from '../indexer/filter.ts'
import { languageOf, languageOfShebang } from '../indexer/languages.ts'
import { outlineOf } from '../outline/outline.ts'
import { createGlobTest } from '../indexer/path-globs.ts'
import { redact } from '../llm/redaction/redact.ts'
import { createChangeReader } from '../repos/history/change-tables.ts'
import { createCloneReader } from '../repos/objects/clone-reader.ts'
import { listTree } from '../repos/objects/objects.ts'
import type { CommitReader } from '../resolver/code/code-at-commit.ts'
import { askCode as askCodeIn, type CodeQuestion } from '../resolver/code-tools/code-tools.ts'
import { openView, pinCommits } from '../resolver/code-tools/code-view.ts'
import { historyPlace, pageOfCommits } from '../resolver/code-tools/line-history.ts'
import { firstLines } from '../resolver/code-tools/page.ts'
import { diagnoseRun, type FailedRun, type ProgramFiles, type RunDiagnosis } from '../resolver/diagnose-run.ts'
import type { IndexedFile } from '../resolver/code/file-index.ts'
import { isOutputFile } from '../resolver/mapping/outputs.ts'
import { parseStackTrace } from '../stack-trace/parse.ts'
import { locate as locateIn, type LocateDeps, type LocateRequest } from '../resolver/locate.ts'
import { rehearsalTrace } from '../resolver/rehearsal.ts'
import { searchCode } from '../resolver/search/search.ts'
import type { EmbedQuery } from '../resolver/ranking/rankers/dense.ts'
import { Semaphore } from '../core/semaphore.ts'
import { uncommittedFilesOf } from '../core/project.ts'
import { replyOf, say, taskSettings, type TaskPort, type TaskReply } from './task.ts'
import { countTokens, TOKENIZER } from '../tokens/o200k.ts'
import type { GenerationReader } from '../vecstore/generation-reader.ts'
import { largeIndexBytes, ReaderCache } from '../vecstore/reader-cache.ts'
import { openStore } from '../vecstore/store.ts'

/**
 * Composition root of the processes that answer `/resolve` and `/search`: nothing of the server comes here but these
 * settings.
 */
export interface ResolveWorkerData {
  vectorStoreDir: string
  clonedReposDir: string
  /** Null for the built-in embedder. */
  embedding: { baseUrl: string; apiKey: string | null; headers: Record<string, string>; model: string } | null
  /** How the indexer cuts files. */
  chunker: 'scopes' | 'lines'
  /** The most that all caches of the thread take; left out in the thread for large indexes. */
  cacheBytes?: number
}

const MAX_OUTPUT_LISTS = 8
/** Made traces after which V8 has compiled most of what answers are made with; some two seconds of work. */
const REHEARSALS = 40
const REHEARSED_TOKENS = 16_000
const QUERY_TIMEOUT_MS = 10_000 // a person waits, and full text answers without it

const {
  vectorStoreDir,
  clonedReposDir,
  embedding,
  chunker: chunkerName,
  cacheBytes,
} = taskSettings() as ResolveWorkerData

async function createEmbedder(): Promise<Embedder> {
  if (embedding === null) return createLocalEmbedder()
  const { createEmbeddingsRequest } = await import('../llm/client/embeddings.ts')
  // A query is asked once; keeping its vector would only fill memory.
  const cache = { get: () => new Map<string, Float32Array>(), put: () => {} }
  return createApiEmbedder({
    model: embedding.model,
    request: createEmbeddingsRequest({ ...embedding, timeoutMs: QUERY_TIMEOUT_MS }),
    cache,
  })
}

if (cacheBytes !== undefined) threadCaches.resize(cacheBytes)

const embedder = await createEmbedder()
const store = openStore(vectorStoreDir, { embedding: { provider: embedder.provider, model: embedder.model } })
const readers = new ReaderCache(store, {
  budget: cacheBytes === undefined ? new CacheBudget(largeIndexBytes()) : threadCaches,
})
const chunker = chunkerName === 'lines' ? createLineChunker() : createScopeChunker()
const clones = createCloneReader({ clonedReposDir })
const readChanges = createChangeReader({ clonedReposDir })
/** Who has it works; in a thread with several tasks the others wait for it, or for another service. */
const turn = new Semaphore(1)

/** Opening a large index takes seconds, once: they are not those that the text may take. */
async function useOpened<T>(
  projectName: string,
  port: TaskPort,
  work: (reader: GenerationReader) => T | Promise<T>,
): Promise<T> {
  await turn.acquire()
  try {
    say(port, 'opens')
    return await readers.use(projectName, reader => {
      say(port, 'works')
      return work(reader)
    })
  } finally {
    turn.release()
  }
}

/** Leaves the turn to others while another service answers, which takes no time of this thread. */
async function waiting<T>(port: TaskPort, ask: () => Promise<T>): Promise<T> {
  say(port, 'waits')
  turn.release()
  try {
    return await ask()
  } finally {
    await turn.acquire()
    say(port, 'works')
  }
}

/** What embeds queries for indexes that learned their own space; opening a fit takes some ten milliseconds. */
const learned = new WeakMap<Uint8Array, ReturnType<typeof LSA.createEmbedder>>()

function embedderOf(fit: Uint8Array): ReturnType<typeof LSA.createEmbedder> {
  const known = learned.get(fit) ?? LSA.createEmbedder(LSA.openFit(fit))
  learned.set(fit, known)
  return known
}

/** The vector of a text by the configured embedder; null where the index was made with another fit. */
async function embedElsewhere(text: string, wantedFitId: string, port: TaskPort): Promise<Float32Array | null> {
  const { vectors, fitId } = await waiting(port, () => embedder.embed([text]))
  if (fitId !== wantedFitId) return null
  return vectors[0] ?? null
}

/**
 * None where nothing can be similar: vectors of another fit than the index's cannot be compared with it, and words that
 * it does not know say nothing.
 */
function embedQueryFor({ fit, vectorSearch, manifest }: GenerationReader, port: TaskPort): EmbedQuery {
  return async text => {
    if (vectorSearch === 'none') return null
    if (fit !== null) {
      const { fitId, embedQuery } = embedderOf(fit)
      return fitId === manifest.embedding.fitId ? embedQuery(text) : null
    }
    return await embedElsewhere(text, manifest.embedding.fitId, port)
  }
}

const languageIn = (text: string, path: string): string => languageOf(path) ?? languageOfShebang(text) ?? ''

/** By repository and commit, the least recently used first. */
const outputLists = new Map<string, Promise<readonly IndexedFile[]>>()

async function listOutputs(repository: string, commit: string): Promise<IndexedFile[]> {
  const found: IndexedFile[] = []
  if ((await clones.resolveCommit(repository, commit)) === null) return found
  try {
    for await (const { path, mode, type, size, oid } of listTree(join(clonedReposDir, repository), commit)) {
      if (type === 'blob' && mode.startsWith('100') && isOutputFile(path, size)) found.push({ repository, path, oid })
    }
  } catch (error) {
    // the index answers without its clone, too
    if (error instanceof FaultlineError && error.code === 'REPOSITORY_CORRUPT') return []
    throw error
  }
  return found
}

const commits: CommitReader = {
  resolveCommit: clones.resolveCommit,
  listTags: clones.tags,
  listOutputs(repository, commit) {
    const key = JSON.stringify([repository, commit])
    const files = outputLists.get(key) ?? listOutputs(repository, commit)
    outputLists.delete(key)
    outputLists.set(key, files)
    files.catch(() => outputLists.delete(key))
    const oldest = outputLists.keys().next().value
    if (outputLists.size > MAX_OUTPUT_LISTS && oldest !== undefined) outputLists.delete(oldest)
    return files
  },
  async listFiles(repository, commit, choice) {
    const tracked: TrackedFile[] = []
    // The name was good enough for `resolveCommit`, so it is that of a clone.
    for await (const entry of listTree(join(clonedReposDir, repository), commit)) tracked.push(entry)
    return selectFiles(tracked, choice).candidates
  },
  async readAtCommit(repository, commit, path) {
    const bytes = await clones.readFile(repository, commit, path)
    return bytes === null ? null : decodeSource(bytes)
  },
  outlineText: (text, path) => outlineOf(text, languageIn(text, path)),
  chunkText(text, file) {
    const language = languageIn(text, file.path)
    const ranges = chunker.chunk(text, language, outlineOf(text, language))
    return ranges.map(({ startLine, endLine, startOffset, endOffset }, chunkIndex) => ({
      ...file,
      chunkIndex,
      totalChunks: ranges.length,
      startLine,
      endLine,
      text: text.slice(startOffset, endOffset),
    }))
  },
}

const locateDeps = (reader: GenerationReader, port: TaskPort): LocateDeps => ({
  reader,
  embedQuery: embedQueryFor(reader, port),
  commits,
  readChanges,
  globTest: createGlobTest,
  countTokens,
  tokenizer: TOKENIZER,
  now: () => performance.now(),
})

/** Finds the code behind a text in the published generation of a project. */
export async function locate({
  request,
  port,
}: {
  request: LocateRequest
  port: TaskPort
}): Promise<TaskReply<WrittenCode>> {
  return await replyOf(() =>
    useOpened(request.projectName, port, async reader => writeCode(await locateIn(request, locateDeps(reader, port)))),
  )
}

/** Opens what is published of a project, which takes some 0.1 s for 26 MB of code. */
export async function prepare({
  projectName,
  port,
}: {
  projectName: string
  port: TaskPort
}): Promise<TaskReply<null>> {
  return await replyOf(() => useOpened(projectName, port, () => null))
}

let rehearsals = 0
/** The generations in which all is open that a first answer opens. */
const rehearsed = new WeakSet<GenerationReader>()

/**
 * Locates a made trace in the published generation of a project: see `rehearsalTrace`.
 *
 * @returns Whether a further one would make the next answer quicker.
 */
export async function rehearse({
  projectName,
  port,
}: {
  projectName: string
  port: TaskPort
}): Promise<TaskReply<boolean>> {
  return await replyOf(() =>
    useOpened(projectName, port, async reader => {
      if (rehearsals >= REHEARSALS && rehearsed.has(reader)) return false
      const stackTrace = rehearsalTrace(reader, rehearsals)
      if (stackTrace === null) return false
      writeCode(
        await locateIn({ projectName, stackTrace, maxContextTokens: REHEARSED_TOKENS }, locateDeps(reader, port)),
      )
      rehearsed.add(reader)
      return ++rehearsals < REHEARSALS
    }),
  )
}

/** Searches the published generation of a project. */
export async function search({
  projectName,
  query,
  limit,
  port,
}: {
  projectName: string
  query: string
  limit: number
  port: TaskPort
}): Promise<TaskReply<SearchAnswer>> {
  return await replyOf(() =>
    useOpened(projectName, port, async reader => ({
      ...(await searchCode(query, { limit }, { reader, embedQuery: embedQueryFor(reader, port) })),
      ...uncommittedFilesOf(reader.manifest.repositories),
    })),
  )
}

/** The commits that a project is read at from now on; see `pinCommits`. */
export async function pinCode({
  projectName,
  ref,
  port,
}: {
  projectName: string
  ref: string | undefined
  port: TaskPort
}): Promise<TaskReply<PinnedCommit[]>> {
  return await replyOf(() => useOpened(projectName, port, reader => pinCommits(ref, reader, commits)))
}

/** Answers a question about the code of a project; see `askCode` of the resolver. */
export async function askCode({
  projectName,
  pinned,
  question,
  maxTokens,
  port,
}: {
  projectName: string
  pinned: readonly PinnedCommit[]
  question: CodeQuestion
  maxTokens: number
  port: TaskPort
}): Promise<TaskReply<Awaited<ReturnType<typeof askCodeIn>>>> {
  return await replyOf(() =>
    useOpened(projectName, port, reader =>
      askCodeIn(
        question,
        pinned,
        { reader, commits, embedQuery: embedQueryFor(reader, port) },
        { maxTokens, countTokens },
      ),
    ),
  )
}

/** The place whose history is asked for; see `historyPlace`. */
export async function placeOfHistory({
  projectName,
  pinned,
  input,
  port,
}: {
  projectName: string
  pinned: readonly PinnedCommit[]
  input: CodeInputs['explain_line_history']
  port: TaskPort
}): Promise<TaskReply<HistoryPlace>> {
  return await replyOf(() =>
    useOpened(projectName, port, async reader => historyPlace(input, await openView(pinned, reader, commits))),
  )
}

/** Cuts what changed some lines to a page; no project is opened. */
export async function pageOfHistory({
  found,
  offset,
  limit,
  maxTokens,
  port,
}: {
  found: LineCommits
  offset: number | undefined
  limit: number | undefined
  maxTokens: number
  port: TaskPort
}): Promise<TaskReply<Awaited<ReturnType<typeof pageOfCommits>>>> {
  say(port, 'works')
  return await replyOf(() => pageOfCommits(found, { offset, limit }, { maxTokens, countTokens }))
}

/** The beginning of a text that has no more tokens than that; no project is opened. */
export async function cutToTokens({
  text,
  maxTokens,
  port,
}: {
  text: string
  maxTokens: number
  port: TaskPort
}): Promise<TaskReply<{ text: string; tokens: number }>> {
  say(port, 'works')
  return await replyOf(async () => {
    const kept = firstLines(text, { maxTokens, countTokens })
    return { text: kept, tokens: countTokens(kept) }
  })
}

/** The frames of a text alone; no project is opened. */
export async function parse({
  stackTrace,
  port,
}: {
  stackTrace: string
  port: TaskPort
}): Promise<TaskReply<ParsedTrace>> {
  say(port, 'works')
  return await replyOf(async () => parseStackTrace(stackTrace))
}

/** A text without secrets; no project is opened. */
export async function withoutSecrets({ text, port }: { text: string; port: TaskPort }): Promise<TaskReply<string>> {
  say(port, 'works')
  return await replyOf(async () => redact(text).text)
}

/** What a program's output says of its files; no project is opened. */
export async function diagnose({
  run,
  program,
  maxTokens,
  port,
}: {
  run: FailedRun
  program: ProgramFiles
  maxTokens: number
  port: TaskPort
}): Promise<TaskReply<RunDiagnosis>> {
  say(port, 'works')
  return await replyOf(async () =>
    diagnoseRun(run, program, { outlineText: commits.outlineText, countTokens, maxTokens }),
  )
}

/** Loading this module is what takes time, and the table of tokens. */
export function warmUp(): void {
  countTokens('')
}
