import { Type } from '../../core/type.ts'
import { isObject } from '../../core/is-object.ts'
import type { ReadReply } from '../../edits/edit.ts'
import { readReply } from '../../edits/read/read-reply.ts'
import { replyLines } from '../../edits/read/reply-lines.ts'
import type { AskModel } from '../steps/model/ask-model.ts'

const ACTIONS = ['create', 'update', 'delete'] as const

/** What a coder does with a file. */
export type CoderAction = (typeof ACTIONS)[number]

const closed = { additionalProperties: false }

/** What the coder answers, as the model server is told. */
export const CODER_JSON = {
  name: 'change',
  schema: Type.Object(
    {
      thinking: Type.String(),
      files: Type.Array(
        Type.Object({ path: Type.String(), action: Type.Enum([...ACTIONS]), content: Type.String() }, closed),
      ),
      commitMessage: Type.String(),
    },
    closed,
  ),
}

/** One file of an answer. */
export interface CoderFile {
  /** As the answer spells it. */
  path: string
  /** Null where the answer names none: whether the file is there says it then. */
  action: CoderAction | null
  /** All of the file, or a diff of it; '' for one that goes. */
  content: string
  /** The content came as a diff by the name of its field. */
  isDiff: boolean
}

/** What a coder answers: files in JSON, or edits in a form that `readReply` knows, or nothing that can be used. */
export type CoderAnswer =
  | { files: CoderFile[]; thinking: string; commitMessage: string }
  | { reply: ReadReply; thinking: string; commitMessage: string }
  | { problems: string[] }

type Fields = Record<string, unknown>

const SPELLINGS: ReadonlyMap<string, CoderAction> = new Map([
  ['create', 'create'],
  ['add', 'create'],
  ['new', 'create'],
  ['update', 'update'],
  ['modify', 'update'],
  ['edit', 'update'],
  ['change', 'update'],
  ['delete', 'delete'],
  ['remove', 'delete'],
])
/** The beginning of an answer in JSON, which a diff does not have: its lines begin with a sign. */
const BEGINS_ANSWER = /^(?:```\w*\s*)?\{\s*"(?:thinking|files|commitMessage|commit_message)"\s*:/m
/** The first sign of a reply in JSON, be it in a fence. */
const OPENS_JSON = /^\s*(?:```\w*\s*)?([[{])/
/** A line that JSON does not have: within its strings there are no line breaks. */
const HUNK = /^@@ -\d/
const MAX_CHARS_SAID = 200
const TWO_ANSWERS =
  'The reply holds several answers, and nothing says which one is meant. Give one, with all files of the change.'
const DIFF_OUTSIDE = 'The reply has diffs outside of the JSON. Put each into the "content" of its file.'
const NO_ANSWER = 'It holds no JSON object with "files", and no diff.'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The diff and the content of a file, of which it needs one. */
function contentOf(fields: Fields, place: string): Pick<CoderFile, 'content' | 'isDiff'> | { problem: string } {
  const { content = null, patch = null } = fields
  const diff = fields.diff ?? patch
  for (const value of [content, diff]) {
    if (value !== null && typeof value !== 'string') return { problem: `${place}/content must be a string.` }
  }
  if (textOf(diff).trim() === '') return { content: textOf(content), isDiff: false }
  if (textOf(content).trim() !== '' && content !== diff) {
    return { problem: `${place} has both a content and a diff: give one of them, in "content".` }
  }
  return { content: textOf(diff), isDiff: true }
}

const lacksContent = ({ content, diff, patch }: Fields): boolean =>
  [content, diff, patch].every(value => value === undefined || value === null)

/** What is to be done with a file; null where nothing says so. */
function actionOf(action: unknown, place: string): { action: CoderAction | null } | { problem: string } {
  if (action === undefined || action === null || action === '') return { action: null }
  const meant = typeof action === 'string' ? SPELLINGS.get(action.trim().toLowerCase()) : undefined
  if (meant !== undefined) return { action: meant }
  const said = JSON.stringify(action).slice(0, MAX_CHARS_SAID)
  return { problem: `${place}/action must be create, update or delete, not ${said}.` }
}

function readFile(value: unknown, place: string): CoderFile | { problem: string } {
  if (!isObject(value)) return { problem: `${place} must be an object.` }
  const { path } = value
  if (typeof path !== 'string' || path.trim() === '') return { problem: `${place}/path must be a string.` }
  const meant = actionOf(value.action, place)
  if ('problem' in meant) return meant
  if (meant.action !== 'delete' && lacksContent(value)) {
    return { problem: `${place} (${path.slice(0, MAX_CHARS_SAID)}) has no content.` }
  }
  const content = contentOf(value, place)
  return 'problem' in content ? content : { path: path.trim(), ...meant, ...content }
}

/** Files that are all of a reply, be it as a list or as one object: what is cut off opens with the other bracket. */
function bareFiles([only, ...more]: readonly unknown[], opening: string | undefined): unknown[] | null {
  if (more.length > 0) return null
  const files = Array.isArray(only) ? only : [only]
  const isWhole = opening === (Array.isArray(only) ? '[' : '{')
  return isWhole && files.some(file => isObject(file) && 'path' in file) ? files : null
}

/** The answers among the values of a reply, each with its list of files. */
function answersIn(values: readonly unknown[], opening: string | undefined): Array<Fields & { files: unknown[] }> {
  const bare = bareFiles(values, opening)
  if (bare !== null) return [{ files: bare }]
  return values.flatMap(value =>
    isObject(value) && Array.isArray(value.files) ? [{ ...value, files: value.files }] : [],
  )
}

const pathsOf = ({ files }: { files: unknown[] }): string[] =>
  files.map(file => (isObject(file) ? textOf(file.path).trim() : ''))

/**
 * Several answers as one: of different files they belong together, and the last one is the answer where it names all
 * files of those before. Null where neither is so.
 */
function joined(answers: ReadonlyArray<Fields & { files: unknown[] }>): (Fields & { files: unknown[] }) | null {
  const last = answers.at(-1)
  if (last === undefined) return null
  const own = new Set(pathsOf(last))
  const paths = answers.flatMap(pathsOf)
  if (paths.every(path => own.has(path))) return last
  if (new Set(paths).size < paths.length) return null
  return { ...Object.assign({}, ...answers), files: answers.flatMap(({ files }) => files) }
}

const saidIn = (fields: Fields): { thinking: string; commitMessage: string } => ({
  thinking: textOf(fields.thinking),
  commitMessage: textOf(fields.commitMessage) || textOf(fields.commit_message),
})

function readFiles(answer: Fields & { files: unknown[] }): CoderAnswer {
  const files: CoderFile[] = []
  const problems: string[] = []
  for (const [index, value] of answer.files.entries()) {
    const read = readFile(value, `/files/${index}`)
    if ('problem' in read) problems.push(read.problem)
    else files.push(read)
  }
  return problems.length > 0 ? { problems } : { files, ...saidIn(answer) }
}

const holdsEdits = ({ files, diffs, perhaps, problems, deletions }: ReadReply): boolean =>
  files.length + diffs.length + perhaps.length + problems.length + deletions.length > 0

const nothingRead = (problem: string): CoderAnswer => ({ problems: [problem === '' ? NO_ANSWER : problem] })

/** Reads a reply of edits that are no files in JSON. */
function readOther(text: string, fields: Fields | null, problem: string): CoderAnswer {
  const reply = readReply(text)
  if (!holdsEdits(reply)) return nothingRead(problem)
  return { reply, ...saidIn(fields ?? { thinking: reply.prose }) }
}

/**
 * Reads the answer of a coder: one object in JSON, be it in a fence or between prose; or diffs, as other pipelines take
 * them. What cannot be read comes back as problems, worded for the model; nothing of a reply is left out in silence.
 */
export function readCoderAnswer(text: string, jsonValuesIn: AskModel['jsonValuesIn']): CoderAnswer {
  const { values, problem } = jsonValuesIn(text)
  const opening = OPENS_JSON.exec(text)?.[1]
  const holdsAnswer = BEGINS_ANSWER.test(text)
  const answers = answersIn(values, holdsAnswer ? undefined : opening)
  const answer = joined(answers)
  if (answer === null) {
    if (answers.length > 0) return { problems: [TWO_ANSWERS] }
    // JSON of another form is not guessed at: a diff in it would be taken for the text of a file
    return holdsAnswer || opening !== undefined ? nothingRead(problem) : readOther(text, null, problem)
  }
  const hasHunks = replyLines(text).lines.some(line => HUNK.test(line))
  if (!hasHunks) return readFiles(answer)
  return answer.files.length > 0 ? { problems: [DIFF_OUTSIDE] } : readOther(text, answer, problem)
}
