import { replyProblem, type AppliedEdit, type EditProblem } from '../edit.ts'

/** The outcome of one file or diff of a reply. */
export interface Outcome {
  applied: AppliedEdit[]
  problems: EditProblem[]
  /** An excerpt, with its problem, unless it says what a file has before or after all edits. */
  excerpt?: { lines: readonly string[]; problem: EditProblem }
}

/** The outcome of an edit that was rejected as a whole. */
export const refused = (problem: EditProblem): Outcome => ({ applied: [], problems: [problem] })

/** The outcome of a whole file, a deletion or a rename. */
export const done = (path: string, how: AppliedEdit['how'] = 'applied'): Outcome => ({
  applied: [{ path, hunk: null, how }],
  problems: [],
})

/** The problem of a new file whose place a folder or another file takes. */
export const blockedProblem = (path: string, text: string): EditProblem =>
  replyProblem(
    'bad_path',
    `${path} cannot be a file: a folder has that name, or a file has the name of one of its folders.`,
    { path, text },
  )
