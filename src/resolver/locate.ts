import { FaultlineError } from '../core/errors.ts'
import type { MappedFrame, ParsedException, ParsedTrace } from '../core/frame.ts'
import { commitIndexed, uncommittedFiles } from '../core/project.ts'
import {
  NO_TRACE_NOTICE,
  type IndexState,
  type Located,
  type LocatedCode,
  type MarkedLine,
} from '../core/resolution.ts'
import { codeAtCommit, type CodeAtCommit, type CommitReader } from './code/code-at-commit.ts'
import type { CodeReader } from './code/code-reader.ts'
import type { ContextReader } from './context/build-context.ts'
import { confidenceNotice } from './ranking/confidence.ts'
import { fileIndexOf } from './code/file-index.ts'
import { fingerprint } from './answer/fingerprint.ts'
import { mapFrames, type MapOptions } from './mapping/map-frames.ts'
import { packagesOf } from './mapping/packages.ts'
import { withOutputs, type Outputs } from './mapping/outputs.ts'
import { historiesOf, type ReadChanges } from './ranking/histories.ts'
import type { PathMapping } from './mapping/path-mappings.ts'
import { focusOf, rankFrames, type RankedFrame } from './ranking/rank-frames.ts'
import { rankFiles } from './ranking/rank-files.ts'
import type { RankedFile } from './ranking/ranked-file.ts'
import type { EmbedQuery } from './ranking/rankers/dense.ts'
import { cleanText, plainText, type CleanText } from '../stack-trace/layout/clean.ts'
import { parseClean } from '../stack-trace/parse.ts'
import { linesTogether } from './answer/changed-since.ts'
import { markedLines } from './answer/suspects.ts'
import { fullAnswer, shortAnswer } from './short-answer.ts'
import { traceTime } from './trace-time.ts'
import { namesVersion, versionTag } from './mapping/version-tags.ts'
import { ms } from './timing.ts'

/** A text that holds a stack trace, and how to resolve it. */
export interface LocateRequest {
  projectName: string
  /** One trace, a chain, or a whole log; up to 10 MiB. */
  stackTrace: string
  maxContextTokens: number
  /** `short` shows what is likely, `full` fills the limit; default `full`. */
  detail?: 'short' | 'full'
  /** Whether a model is to answer from what is found, so that a short answer holds more code; default: not. */
  forModel?: boolean
  /** Index of the exception to explain; default: the last root. */
  exception?: number
  /** Commit, tag or branch to read the frames' files at; default: the indexed commit. */
  ref?: string
  /** The operator's mappings for paths of the trace; they precede every rule. */
  pathMappings?: readonly PathMapping[]
  /** Globs of files whose frames do not count as the project's own code. */
  inAppExclude?: readonly string[]
  /** The state of the index, if the caller knows it; default `ready`. */
  indexState?: IndexState
  /** Whether files are ranked without vectors, so that nothing is embedded. */
  wordsOnly?: boolean
}

/** What `locate` reads and counts with. */
export interface LocateDeps {
  reader: CodeReader
  embedQuery: EmbedQuery
  commits: CommitReader
  readChanges: ReadChanges
  /** Makes a test of paths from globs; needed for `inAppExclude` only. */
  globTest?: (globs: string[]) => (path: string) => boolean
  countTokens: (text: string) => number
  tokenizer: string
  now: () => number
}

const MAX_VERSION_CHARS = 65_536

function requireSomething({ exceptions, frames }: ParsedTrace, text: CleanText, { exception }: LocateRequest): void {
  if (frames.length === 0 && exceptions.length === 0 && !/[\p{L}\p{N}]{2}/u.test(plainText(text))) {
    throw new FaultlineError(
      'NO_STACK_TRACE',
      'Nothing to search by: the text holds no frame and no word.',
      'Send the stack trace, or the log around the error.',
    )
  }
  if (exception !== undefined && exceptions[exception] === undefined) {
    const last = exceptions.length - 1
    throw new FaultlineError(
      'EXCEPTION_NOT_FOUND',
      `There is no exception ${exception}: the text holds ${exceptions.length}.`,
      last < 0 ? 'Leave exception out.' : `Send an exception from 0 to ${last}, or leave it out for the last root.`,
    )
  }
}

function mapOptions({ pathMappings = [], inAppExclude = [] }: LocateRequest, { globTest }: LocateDeps): MapOptions {
  return {
    pathMappings,
    isExcluded: inAppExclude.length === 0 || globTest === undefined ? undefined : globTest([...inAppExclude]),
  }
}

/** Reads each file of a commit once: mapping may run several times over the same files. */
function cacheReads(commits: CommitReader): CommitReader {
  const known = new Map<string, Promise<string | null>>()
  return {
    ...commits,
    readAtCommit(repository, commit, path) {
      const key = JSON.stringify([repository, commit, path])
      const text = known.get(key) ?? commits.readAtCommit(repository, commit, path)
      known.set(key, text)
      return text
    },
  }
}

/** The commit at which a repository is said to be read: changes that are not committed come on top of it. */
function commitShown(
  { manifest }: CodeReader,
  repository: string,
  commits?: ReadonlyMap<string, string>,
): string | null {
  return commits?.get(repository) ?? manifest.repositories.find(one => one.repository === repository)?.commit ?? null
}

/** The commit at which a repository's files are read. */
function commitRead(
  { manifest }: CodeReader,
  repository: string,
  commits?: ReadonlyMap<string, string>,
): string | null {
  const found = manifest.repositories.find(one => one.repository === repository)
  const indexed = found === undefined ? null : commitIndexed(found)
  return commits?.get(repository) ?? indexed
}

/** The frames with their files at the requested commit; frames of compiled files with what their source maps say. */
async function mapTrace({ frames }: ParsedTrace, request: LocateRequest, deps: LocateDeps): Promise<MappedTrace> {
  const { reader } = deps
  const options = mapOptions(request, deps)
  const commits = cacheReads(deps.commits)
  let at: CodeAtCommit | null = null
  const run = async (outputs: Outputs): Promise<MappedTrace> => {
    const map: MapWith = (files, sourceOf) => mapFrames(frames, files, sourceOf, { ...options, outputs })
    at = request.ref === undefined ? null : await codeAtCommit(request.ref, map, reader, commits)
    return { at, frames: at?.frames ?? map(reader.files(), reader.fileText) }
  }
  const commitFor = (repository: string): string => commitRead(reader, repository, at?.commits) ?? ''
  return await withOutputs(
    run,
    reader.manifest.repositories.map(({ repository }) => repository),
    {
      list: repository => commits.listOutputs(repository, commitFor(repository)),
      read: (repository, path) => commits.readAtCommit(repository, commitFor(repository), path),
    },
  )
}

/**
 * Reads the files of the frames at the commit they were mapped in, and every other file from the index, where it was
 * found.
 */
function shownCode(frames: readonly MappedFrame[], at: CodeAtCommit | null, reader: CodeReader): ContextReader {
  if (at === null) return reader
  const named = new Set(frames.map(({ repository, path }) => JSON.stringify([repository, path])))
  const isOther = (repository: string, path: string): boolean =>
    named.has(JSON.stringify([repository, path])) && !at.isSame(repository, path)
  const readerOf = (repository: string, path: string) => (isOther(repository, path) ? at.reader : reader)
  return {
    fileText: (repository, path) => readerOf(repository, path).fileText(repository, path),
    outline: (repository, path) => readerOf(repository, path).outline(repository, path),
    rowTokens: (repository, path) => (isOther(repository, path) ? null : reader.rowTokens(repository, path)),
    chunksOf: (repository, path) => readerOf(repository, path).chunksOf(repository, path),
  }
}

/** Notes on a file that a search found in the index that it is not from the requested commit. */
function noteCommit(found: RankedFile, at: CodeAtCommit | null, reader: CodeReader): RankedFile {
  const { repository, path } = found
  if (at === null || found.reason === 'frame' || at.isSame(repository, path)) return found
  const commit = commitShown(reader, repository)?.slice(0, 12) ?? ''
  return { ...found, why: `${found.why}; as of the indexed commit ${commit}` }
}

/** Tests whether a name is one of the project's: that of a repository, or of a package in it. */
function ownNames(reader: CodeReader): (name: string) => boolean {
  const repositories = new Set(
    reader.manifest.repositories
      .flatMap(({ repository, url }) => [
        repository,
        /(?<=^|[/:])([^/:]+?)(?:\.git)?\/?$/.exec(url.slice(-200))?.[1] ?? repository,
      ])
      .map(name => name.toLowerCase()),
  )
  const { npm, composer, cargo, gem, pub } = packagesOf(fileIndexOf(reader.files()), reader.fileText)
  return name =>
    repositories.has(name.toLowerCase()) || [npm, composer, cargo, gem, pub].some(find => find(name).length > 0)
}

/** The beginning of the text, where versions are named. */
const beginningOf = (stackTrace: string, whole: CleanText): string =>
  plainText(stackTrace.length <= MAX_VERSION_CHARS ? whole : cleanText(stackTrace.slice(0, MAX_VERSION_CHARS)))

/** The version of the project that the text names, when it has a tag at another commit than the indexed one. */
async function namedVersion(
  failing: MappedFrame | undefined,
  text: string,
  { reader, commits }: LocateDeps,
): Promise<ReturnType<typeof versionTag>> {
  if (failing === undefined || failing.repository === null || !namesVersion(text)) return null
  const { repository } = failing
  const named = versionTag(text, ownNames(reader), await commits.listTags(repository))
  if (named === null) return null
  return (await commits.resolveCommit(repository, named.tag)) === commitShown(reader, repository) ? null : named
}

const ownFrames = (frames: readonly MappedFrame[]): number => frames.filter(({ inProject }) => inProject).length

/**
 * The frames as they are mapped at the tag of the version that the text names, where as many are found there; else as
 * before. The failing frame says in both cases how the code of that version is read.
 */
async function mapAtVersion(
  mapped: MappedTrace,
  trace: ParsedTrace,
  request: LocateRequest,
  { deps, text, focus }: { deps: LocateDeps; text: string; focus: ParsedException | null },
): Promise<MappedTrace & { notice: string | null }> {
  const failingOf = (frames: MappedFrame[]) => rankFrames(frames, trace.exceptions, focus)[0]?.frame
  const named = mapped.at === null ? await namedVersion(failingOf(mapped.frames), text, deps) : null
  if (named === null) return { ...mapped, notice: null }
  const then = await mapTrace(trace, { ...request, ref: named.tag }, deps)
  const isThere = ownFrames(then.frames) >= ownFrames(mapped.frames)
  const { at, frames } = isThere ? then : mapped
  const failing = failingOf(frames)
  const hint = `the text names version ${named.version}: "ref": "${named.tag}" reads the code as it was then`
  return {
    at,
    frames: frames.map(frame => (frame === failing ? { ...frame, why: `${frame.why}; ${hint}` } : frame)),
    notice: isThere ? `The text names version ${named.version}: its code is read at the tag ${named.tag}.` : null,
  }
}

function withFingerprints(
  exceptions: readonly ParsedException[],
  frames: readonly MappedFrame[],
): Located['exceptions'] {
  const byException = Map.groupBy(frames, frame => frame.exception)
  return exceptions.map(exception => ({
    ...exception,
    fingerprint: fingerprint(exception, byException.get(exception.index) ?? []),
  }))
}

/** By what later changes of a line are looked for: where it is read at an earlier commit than the indexed one. */
function laterChanges(
  reader: CodeReader,
  at: CodeAtCommit | null,
): (repository: string, path: string, line: number) => MarkedLine['since'] {
  return (repository, path, line) => {
    const commit = at?.commits.get(repository)
    const tip = commitRead(reader, repository)
    if (at === null || commit === undefined || tip === null || commit === tip) return undefined
    return { tip, ...linesTogether(at.reader.outline(repository, path), line) }
  }
}

/** Which code an answer is about. */
function codeRead(
  reader: CodeReader,
  ranked: readonly RankedFrame[],
  commits?: ReadonlyMap<string, string>,
): Pick<LocatedCode, 'commit' | 'uncommittedFiles'> & { readAt: string } {
  const repository = ranked[0]?.frame.repository ?? reader.manifest.repositories[0]?.repository
  if (repository === undefined) return { commit: '', readAt: '' }
  const isIndexed = commits?.has(repository) !== true
  const found = reader.manifest.repositories.find(one => one.repository === repository)
  return {
    commit: commitShown(reader, repository, commits) ?? '',
    readAt: commitRead(reader, repository, commits) ?? '',
    ...uncommittedFiles(isIndexed ? found?.uncommitted : undefined),
  }
}

/**
 * Finds the code behind a text: parses, maps, ranks and builds the context. Needs no model. Blocks its thread while
 * parsing a large log (about 0.1 s a MiB) and reads only from the reader and, with `ref`, from files of the clone.
 *
 * @throws {FaultlineError} NO_STACK_TRACE: nothing to search by. EXCEPTION_NOT_FOUND: `exception` is out of range.
 * REF_NOT_FOUND: no clone of the project has `ref`.
 */
export async function locate(request: LocateRequest, deps: LocateDeps): Promise<LocatedCode> {
  const { reader, now } = deps
  const started = now()
  const text = cleanText(request.stackTrace)
  const trace = parseClean(text)
  requireSomething(trace, text, request)
  const focus = focusOf(trace.exceptions, request.exception)
  const parsed = now()

  const version = { deps, text: beginningOf(request.stackTrace, text), focus }
  const {
    at,
    frames,
    notice: atTag,
  } = await mapAtVersion(await mapTrace(trace, request, deps), trace, request, version)
  const code = at?.reader ?? reader
  const ranked = rankFrames(frames, trace.exceptions, focus)
  const mappedAt = now()
  const tracedAt = traceTime(request.stackTrace)?.getTime() ?? null

  const histories = await historiesOf(reader, { readChanges: deps.readChanges, commits: at?.commits, tracedAt })
  const { files, degraded } = await rankFiles(
    text,
    trace,
    { ranked, focus },
    { reader, code, histories, embedQuery: request.wordsOnly === true ? async () => null : deps.embedQuery },
  )
  const retrieved = now()

  const detailed = (request.detail === 'short' ? shortAnswer : fullAnswer)({
    exceptions: trace.exceptions,
    frames,
    focus,
    files: files.map(file => noteCommit(file, at, reader)),
    reader: shownCode(frames, at, reader),
    maxTokens: request.maxContextTokens,
    countTokens: deps.countTokens,
    forModel: request.forModel,
  })
  const built = now()
  const isTrace = trace.exceptions.length > 0 || trace.frames.length > 0
  const { readAt, ...read } = codeRead(reader, ranked, at?.commits)
  const notices = [atTag, isTrace ? confidenceNotice(files) : NO_TRACE_NOTICE].filter(notice => notice !== null)
  return {
    projectName: request.projectName,
    ...read,
    indexState: request.indexState ?? 'ready',
    exceptions: withFingerprints(trace.exceptions, frames),
    framesTotal: trace.framesTotal,
    ...(notices.length === 0 ? {} : { notice: notices.join(' ') }),
    ...detailed,
    tokenizer: deps.tokenizer,
    marked: {
      lines: markedLines(ranked, repository => commitRead(reader, repository, at?.commits), laterChanges(reader, at)),
      tracedAt,
      ...(readAt === read.commit ? {} : { readAt }),
    },
    degraded,
    timingsMs: {
      parse: ms(parsed - started),
      map: ms(mappedAt - parsed),
      retrieve: ms(retrieved - mappedAt),
      context: ms(built - retrieved),
    },
  }
}

interface MappedTrace {
  frames: MappedFrame[]
  at: CodeAtCommit | null
}

type MapWith = (files: Parameters<typeof mapFrames>[1], sourceOf: Parameters<typeof mapFrames>[2]) => MappedFrame[]
