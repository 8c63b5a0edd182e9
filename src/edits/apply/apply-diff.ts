import { baseName } from '../../core/path-names.ts'
import type { AppliedEdit, Workspace } from './apply-edits.ts'
import { isCountedOut, replyProblem, type EditProblem, type EditReason, type FileDiff, type Hunk } from '../edit.ts'
import { isPlaceholder } from '../text/ellipsis.ts'
import type { FileEdit } from './file-edit.ts'
import { meantPath, withoutMention } from './mention.ts'
import { nearestLines } from './nearest-lines.ts'

interface Outcome {
  applied: AppliedEdit[]
  problems: EditProblem[]
}

const LOST_PREFIX = 'it may be a context line without its prefix. Begin each context line with a blank.'

const textOf = (hunks: readonly Hunk[]): string => hunks.map(({ text }) => text).join('\n')

/** The file that the names of a diff mean: as they are, then without `a/` or `b/` of one side only. */
function findTarget(diff: FileDiff, { targets, wasDeleted }: Workspace): Target {
  const { oldPath, newPath, hunks } = diff
  const names = [oldPath, newPath].filter(name => name !== null)
  // A name with its prefix may be a folder of the project: a/x.py beside b/x.py.
  const given = diff.stripped
    ? names
    : [...names, ...names.filter(name => /^[ab]\/./.test(name)).map(name => name.slice(2))]
  const spelled = [...given, ...given.map(withoutMention).filter(name => name !== null)]
  for (const exact of [true, false]) {
    for (const name of spelled) {
      const found = targets.find(name)
      if ('path' in found && (!exact || found.path === name)) return { path: found.path }
    }
  }
  const name = newPath ?? oldPath ?? ''
  const candidates = [
    ...new Set(
      spelled.flatMap(own => {
        const found = targets.find(own)
        return 'candidates' in found ? found.candidates : []
      }),
    ),
  ]
  const onlyAdds =
    hunks.length > 0 &&
    hunks.every(
      ({ lines }) =>
        lines.some(({ kind }) => kind === '+') && lines.every(({ kind, raw }) => kind === '+' || raw.trim() === ''),
    )
  const isNew = diff.kind === 'change' && onlyAdds && candidates.length === 0
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : ' A new file needs "--- /dev/null".'
  const problem = replyProblem(
    'no_such_file',
    wasDeleted(name) ? `${name} was deleted before.` : `There is no file ${name}.${hint}`,
    { path: name, text: textOf(hunks) },
  )
  return { problem, isNew }
}

/**
 * Whether what looks like the header of a diff may be a line of the diff before: one without its prefix, or a removed
 * `-- x`.
 */
function mayBeInside({ header }: FileDiff, previous: FileDiff, workspace: Workspace): boolean {
  if (header === '' || isCountedOut(previous.hunks.at(-1))) return false
  const target = findTarget(previous, workspace)
  if (!('path' in target)) return false
  const { index } = workspace.open(target.path)
  return (
    index.placesOf(header, 'exact').length > 0 ||
    (header.startsWith('--- ') && index.placesOf(header.slice(1), 'exact').length > 0)
  )
}

function applyHunks(
  { hunks }: FileDiff,
  { path, edit, workspace }: { path: string; edit: FileEdit; workspace: Workspace },
): Outcome {
  const applied: AppliedEdit[] = []
  const problems: EditProblem[] = []
  edit.startDiff()
  // Its header may be a line of the file: then the hunk before goes on behind it, whether this one changes anything or
  // not.
  const inside = new Set(
    hunks.filter(
      ({ text }, i) =>
        !isCountedOut(hunks[i - 1]) && edit.index.placesOf(text.split('\n', 1)[0] ?? '', 'exact').length > 0,
    ),
  )
  const effective = hunks.filter(hunk => hunk.spills || hunk.lines.some(({ kind }) => kind !== ' ') || inside.has(hunk))
  if (hunks.length > 0 && effective.length === 0) {
    return {
      applied,
      problems: [
        replyProblem('malformed', 'No line of this diff begins with "+" or "-", so it changes nothing.', {
          path,
          text: textOf(hunks),
        }),
      ],
    }
  }
  for (const hunk of effective) {
    const fail = (reason: EditReason, detail: string): void => {
      problems.push({
        path,
        hunk: hunk.number,
        reason,
        detail,
        hunkText: hunk.text,
        nearest: reason === 'not_found' ? nearestLines(hunk, edit.index) : [],
      })
    }
    if (
      hunk.lines.some(({ kind, text }) => kind === '+' && isPlaceholder(text)) &&
      !hunk.lines.some(({ kind, text }) => kind === '-' && isPlaceholder(text))
    ) {
      fail('malformed', 'An added line stands for code that is left out. Write all lines that are to be in the file.')
      continue
    }
    if (inside.has(hunk)) {
      fail(
        'malformed',
        `The header of this hunk is a line of the file, too, and the counts of the hunk before do not come out: ${LOST_PREFIX}`,
      )
      continue
    }
    if (hunk.spills) {
      fail(
        'malformed',
        'Lines with "+" or "-" stand after the end of this hunk, as its counts or a blank line have it. Put the diff in a fence, and begin each line of it with "+", "-" or a blank.',
      )
      continue
    }
    const outcome = edit.apply(hunk)
    if ('failed' in outcome) {
      fail(outcome.failed, outcome.detail)
    } else {
      applied.push({ path, hunk: hunk.number, how: outcome.done })
      workspace.remember(path, hunk)
    }
  }
  return { applied, problems }
}

/** A deletion or a rename that is sent again. */
function movedBefore(diff: FileDiff, workspace: Workspace): Outcome | null {
  const { kind, oldPath, newPath, hunks } = diff
  if (
    (kind !== 'delete' && kind !== 'rename') ||
    oldPath === null ||
    workspace.read(oldPath) !== undefined ||
    !workspace.wasDeleted(oldPath)
  ) {
    return null
  }
  if (kind === 'delete') return { applied: [{ path: oldPath, hunk: null, how: 'repeated' }], problems: [] }
  if (newPath === null || workspace.read(newPath) === undefined) return null
  const moved: Outcome = { applied: [{ path: newPath, hunk: null, how: 'repeated' }], problems: [] }
  if (hunks.length === 0) return moved
  const { applied, problems } = applyHunks(diff, { path: newPath, edit: workspace.open(newPath), workspace })
  return { applied: [...moved.applied, ...applied], problems }
}

/** How people call the second of two versions of one file. */
const VERSION =
  /[._-](?:orig(?:inal)?|new|mod(?:ified)?|fix(?:ed)?|updated?|patched|bak|backup|old|copy|before|after)\b/i

/** Whether the second name of a diff is a new place of the file rather than another spelling of the first. */
function isMove({ kind, oldPath, newPath }: FileDiff, path: string, { targets }: Workspace): boolean {
  if (kind === 'rename' || kind === 'copy') return true
  return (
    newPath !== null &&
    oldPath === path &&
    newPath !== path &&
    !('path' in targets.find(newPath)) &&
    !VERSION.test(baseName(newPath))
  )
}

/**
 * The lines of a new file; null when the hunks are not those of one. Blank lines often lack their "+", and sometimes
 * all lines do.
 */
function newContent(hunks: readonly Hunk[]): string | null {
  const lines = hunks.flatMap(hunk => (hunk.doubtfulTail === 0 ? hunk.lines : hunk.lines.slice(0, -hunk.doubtfulTail)))
  const isBare = !lines.some(({ kind }) => kind !== ' ')
  if (!isBare && lines.some(({ kind, raw }) => kind === '-' || (kind === ' ' && raw.trim() !== ''))) return null
  const isMixed = lines.some(({ hasCr }) => hasCr)
  const ends = (hasCr: boolean): string => (isMixed && hasCr ? '\r\n' : '\n')
  return lines
    .map(
      ({ text, raw, hasCr, noNewline, kind }, i) =>
        (isBare ? raw : kind === ' ' ? '' : text) + (noNewline && i === lines.length - 1 ? '' : ends(hasCr)),
    )
    .join('')
}

function create(diff: FileDiff, workspace: Workspace): Outcome {
  const spelled = diff.newPath ?? diff.oldPath ?? ''
  const meant = meantPath(spelled, workspace)
  const path = 'path' in meant ? meant.path : spelled
  const refuse = (reason: EditReason, detail: string): Outcome => ({
    applied: [],
    problems: [replyProblem(reason, detail, { path, text: textOf(diff.hunks) })],
  })
  if ('unclear' in meant) return refuse('no_such_file', meant.unclear)
  const content = newContent(diff.hunks)
  if (content === null) {
    return refuse(
      'malformed',
      `${path} is to be a new file, but its diff removes lines or shows context. Every line of a new file begins with "+".`,
    )
  }
  const before = workspace.read(path)
  if (before === content) return { applied: [{ path, hunk: null, how: 'already' }], problems: [] }
  if (before !== undefined) {
    return refuse(
      'malformed',
      `${path} exists already, so it cannot be made from /dev/null. Send a diff against the file that is there.`,
    )
  }
  if (workspace.isBlocked(path)) {
    return refuse(
      'bad_path',
      `${path} cannot be a file: a folder has that name, or a file has the name of one of its folders.`,
    )
  }
  workspace.write(path, content)
  return { applied: [{ path, hunk: null, how: 'applied' }], problems: [] }
}

function remove(diff: FileDiff, path: string, workspace: Workspace): Outcome {
  const edit = workspace.open(path)
  const { problems } = applyHunks(diff, { path, edit, workspace })
  if (problems.length > 0) return { applied: [], problems }
  workspace.remove(path)
  return { applied: [{ path, hunk: null, how: 'applied' }], problems: [] }
}

function move(
  diff: FileDiff,
  { from, to, keeps }: { from: string; to: string; keeps: boolean },
  workspace: Workspace,
): Outcome {
  if (workspace.read(to) !== undefined || workspace.isBlocked(to)) {
    return {
      applied: [],
      problems: [
        replyProblem('malformed', `${from} cannot become ${to}: that exists.`, { path: to, text: textOf(diff.hunks) }),
      ],
    }
  }
  // First all of the move, then the hunks: one that cannot be applied, or costs too much, leaves no half of it.
  workspace.write(to, workspace.read(from) ?? '')
  if (!keeps) workspace.remove(from)
  const moved: AppliedEdit = { path: to, hunk: null, how: 'applied' }
  if (diff.hunks.length === 0) return { applied: [moved], problems: [] }
  const { applied, problems } = applyHunks(diff, { path: to, edit: workspace.open(to), workspace })
  return { applied: [moved, ...applied], problems }
}

/**
 * Applies the diff of one file: each hunk for itself; a creation, deletion, rename or copy as a whole.
 *
 * @param previous - The diff before it in the reply.
 */
export function applyDiff(diff: FileDiff, workspace: Workspace, previous: FileDiff | null): Outcome {
  if (previous !== null && mayBeInside(diff, previous, workspace)) {
    const path = diff.newPath ?? diff.oldPath
    return {
      applied: [],
      problems: [
        replyProblem(
          'malformed',
          `The header of this diff is a line of the file before it, too, and the counts of the hunk there do not come out: ${LOST_PREFIX}`,
          { path, text: textOf(diff.hunks) },
        ),
      ],
    }
  }
  if (diff.kind === 'create') return create(diff, workspace)
  const done = movedBefore(diff, workspace)
  if (done !== null) return done
  const target = findTarget(diff, workspace)
  if ('problem' in target) return target.isNew ? create(diff, workspace) : { applied: [], problems: [target.problem] }
  const { path } = target
  if (diff.kind === 'delete') return remove(diff, path, workspace)
  const to = diff.newPath
  if (to !== null && to !== path && isMove(diff, path, workspace)) {
    const meant = meantPath(to, workspace)
    if ('unclear' in meant) {
      return {
        applied: [],
        problems: [replyProblem('no_such_file', meant.unclear, { path: to, text: textOf(diff.hunks) })],
      }
    }
    if (meant.path !== path) return move(diff, { from: path, to: meant.path, keeps: diff.kind === 'copy' }, workspace)
  }
  return applyHunks(diff, { path, edit: workspace.open(path), workspace })
}

type Target = { path: string } | { problem: EditProblem; isNew: boolean }
