import type { FileIndex, IndexedFile, IndexedName } from '../code/file-index.ts'
import type { FramePath } from './frame-path.ts'

/** A stack root and the source root that a match maps it to: what lies below the one lies below the other. */
export interface RootPair {
  stackRoot: string
  sourceRoot: string
  repository: string
}

/** A file that a frame's path may mean. */
export interface Candidate {
  file: IndexedFile
  /** Segments that agree, counted from the end; at least 1. */
  common: number
  roots: RootPair
}

const MAX_FILES_OF_NAME = 40
/** Of a name without a folder, where only the text can tell which one is meant. */
const MAX_FILES_OF_BARE_NAME = 400

function commonSegments(own: readonly string[], stack: readonly string[], anyCase: boolean): number {
  const most = Math.min(own.length, stack.length)
  for (let common = 0; common < most; common++) {
    const a = own[own.length - 1 - common]
    const b = stack[stack.length - 1 - common]
    if (a !== b && !(anyCase && a?.toLowerCase() === b?.toLowerCase())) return common
  }
  return most
}

function rootOf(segments: readonly string[], common: number, absolute: boolean): string {
  const kept = segments.slice(0, segments.length - common)
  const start = absolute ? '/' : ''
  return kept.length === 0 ? start : `${start}${kept.join('/')}/`
}

/**
 * The files that bear a path's last name: longest agreement of paths first, then the shallow ones. One pass over the
 * files of that name; only the best of them are turned into candidates.
 */
export function candidatesFor(path: FramePath, index: FileIndex): Candidate[] {
  const stack = path.path.split('/')
  const names = index.named(stack.at(-1) ?? '')
  const most = stack.length === 1 ? MAX_FILES_OF_BARE_NAME : MAX_FILES_OF_NAME
  const byCommon: IndexedName[][] = []
  for (const name of names) {
    const common = commonSegments(name.segments, stack, path.anyCase)
    if (common > 0) (byCommon[common] ??= []).push(name)
  }
  // Where no case agrees, the name in another case is still the likeliest.
  if (byCommon.length === 0 && !path.anyCase) {
    for (const name of names) (byCommon[commonSegments(name.segments, stack, true)] ??= []).push(name)
  }
  const best: Candidate[] = []
  for (let common = byCommon.length - 1; common > 0 && best.length < most; common--) {
    for (const { file, segments } of byCommon[common]?.slice(0, most - best.length) ?? []) {
      best.push({
        file,
        common,
        roots: {
          stackRoot: rootOf(stack, common, path.absolute),
          sourceRoot: rootOf(segments, common, false),
          repository: file.repository,
        },
      })
    }
  }
  return best
}

/** A key that is equal for equal pairs of roots. */
export const pairKey = ({ stackRoot, sourceRoot, repository }: RootPair): string =>
  JSON.stringify([stackRoot, sourceRoot, repository])
