import type { MappedFrame, ParsedException } from '../core/frame.ts'
import type { LocatedCode } from '../core/resolution.ts'
import { buildContext, type ContextReader } from './context/build-context.ts'
import type { CountTokens } from './context/row-tokens.ts'
import { SHORT_CONTEXT } from './ranking/learned-weights.ts'
import { focusOf, rankFrames } from './ranking/rank-frames.ts'
import type { RankedFile } from './ranking/ranked-file.ts'

/** The parts of an answer that depend on its detail. */
type Detailed = Pick<LocatedCode, 'frames' | 'framesOmitted' | 'context' | 'contextTokens' | 'sources' | 'dropped'>

/** What was found out about a trace, and how much of it may be shown. */
interface Findings {
  exceptions: readonly ParsedException[]
  frames: MappedFrame[]
  /** The one that the answer is about; left out: the last root. */
  focus?: ParsedException | null
  /** Best first. */
  files: readonly RankedFile[]
  reader: ContextReader
  maxTokens: number
  countTokens: CountTokens
  /** Whether a model is to answer from it: it reads more than a page without being tired. */
  forModel?: boolean
}

/** Bytes of JSON that a short answer aims at. */
const AIMED_BYTES = 8_000
/**
 * A trace of fewer frames leaves more places to look at, one of more frames leads through more of them: so much is
 * added for each frame outside of these, up to the most.
 */
const USUAL_FRAMES = { least: 7, most: 16 }
const BYTES_PER_MISSING_FRAME = 5_000
const BYTES_PER_FURTHER_FRAME = 2_000
const MOST_BYTES = { few: 14_000, many: 12_000 }
/** Field names, numbers, suspect commits, times and names of further files. */
const USUAL_BYTES = 2_400
const FRAME_BYTES = 230
/** Frames of the project that are listed, those next to the failure: at least so many, then up to so many bytes. */
const LEAST_FRAMES = 4
const FRAMES_BYTES = 2_600
const EXCEPTION_BYTES = 150
/** Bytes of JSON that a token of context takes, its part of a source included. */
const BYTES_PER_TOKEN = 5.5
const LEAST_TOKENS = 655
/** The most that a model is sent of what is likely (decision 0030); more than that did not show more changed lines. */
const MODEL_TOKENS = 2_400
const MOST_NAMES = 15
/** Files that are less likely to have to change are not named. */
const LEAST_NAMED = 0.001
/** Where no frame lies in the project and no file is likelier than this, the fault is taken to be somewhere else. */
const LEAST_WITHOUT_FRAMES = 0.2

const bytesOf = (...texts: ReadonlyArray<string | null>): number =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)

/** Bytes of JSON that a frame takes, about. */
const bytesOfFrame = ({ raw, file, function: name, repository, path, why, candidates }: MappedFrame): number =>
  FRAME_BYTES + bytesOf(raw, file, name, repository, path, why, ...candidates)

/** The frames of the project that matter most, in the order of the trace: its failing line and the nearest callers. */
function nearFrames(
  own: readonly MappedFrame[],
  exceptions: readonly ParsedException[],
  focus: ParsedException | null,
): MappedFrame[] {
  if (own.length <= LEAST_FRAMES + 1) return [...own] // to say that one more is left out takes as much room
  const near = new Set<MappedFrame>()
  let bytes = 0
  for (const { frame } of rankFrames(own, exceptions, focus)) {
    bytes += bytesOfFrame(frame)
    if (near.size >= LEAST_FRAMES && bytes > FRAMES_BYTES) break
    near.add(frame)
  }
  return own.filter(frame => near.has(frame))
}

/** The tokens of context with which a short answer has about the size that it aims at. */
function roomFor(exceptions: readonly ParsedException[], shown: readonly MappedFrame[], frameCount: number): number {
  const missing = Math.max(0, USUAL_FRAMES.least - frameCount)
  const further = Math.max(0, frameCount - USUAL_FRAMES.most)
  const few = Math.min(MOST_BYTES.few, AIMED_BYTES + missing * BYTES_PER_MISSING_FRAME)
  const aimed = Math.max(few, Math.min(MOST_BYTES.many, AIMED_BYTES + further * BYTES_PER_FURTHER_FRAME))
  const others =
    shown.reduce((sum, frame) => sum + bytesOfFrame(frame), USUAL_BYTES) +
    exceptions.reduce((sum, { type, message }) => sum + EXCEPTION_BYTES + bytesOf(type, message), 0)
  return Math.max(LEAST_TOKENS, Math.floor((aimed - others) / BYTES_PER_TOKEN))
}

/** Every frame, code up to the limit, and what there was no room for, with its lines. */
export function fullAnswer({ frames, files, ...options }: Findings): Detailed {
  return { frames, ...buildContext(files, options) }
}

/**
 * The failing code, its callers as far as they matter, and the likely places beyond the trace, each cut to the lines
 * that matter (decision 0030). Other likely files are named, other frames are counted. Places stop where they stop
 * being likely; where the fault seems to be somewhere else, no code is shown.
 */
export function shortAnswer({
  exceptions,
  frames,
  files,
  maxTokens,
  forModel = false,
  focus = focusOf(exceptions, undefined),
  ...options
}: Findings): Detailed {
  const own = frames.filter(({ inProject, path }) => inProject && path !== null)
  const near = nearFrames(own, exceptions, focus)
  const isElsewhere = own.length === 0 && (files[0]?.score ?? 0) < LEAST_WITHOUT_FRAMES
  const { context, contextTokens, sources } = buildContext(isElsewhere ? [] : files, {
    ...options,
    ...SHORT_CONTEXT,
    maxTokens: Math.min(
      maxTokens,
      forModel ? MODEL_TOKENS : Math.min(SHORT_CONTEXT.maxTokens, roomFor(exceptions, near, frames.length)),
    ),
  })
  const shown = new Set(sources.map(({ path }) => path))
  return {
    frames: near,
    framesOmitted: frames.length - near.length,
    context,
    contextTokens,
    sources,
    dropped: files
      .filter(({ path, score }) => score >= LEAST_NAMED && !shown.has(path))
      .slice(0, MOST_NAMES)
      .map(({ path }) => path),
  }
}
