import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import { applyEdits } from '../../edits/apply/apply-edits.ts'
import { describeProblems } from '../../edits/write/describe-problems.ts'
import { openProblems } from '../../edits/write/open-problems.ts'
import { readAsked } from '../../edits/parts/asked.ts'
import type { PartRules } from '../../edits/parts/read-part.ts'
import type { OutlineFile } from '../../edits/parts/units/units-of.ts'
import type { EditProblem } from '../../edits/edit.ts'
import { readReply } from '../../edits/read/read-reply.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel, ModelChoice, ModelReply } from '../steps/model/ask-model.ts'
import { replied, says } from '../steps/model/dialogues.ts'
import { counted } from '../steps/counted.ts'
import { readKept } from '../steps/base/kept-files.ts'

/** What the replies gave so far: the files that they wrote, and what of them could not be used. */
type Written = { paths: string[]; open: EditProblem[] }

/** The dialogue that asks for the program. */
interface WriteOptions extends ModelChoice {
  messages: readonly DialogueMessage[]
  /** The words of the person who asks for the program. */
  asked: string
}

const NOTHING: Written = { paths: [], open: [] }
const MAX_MESSAGE_CHARS = 4000

const reasons = (problems: readonly EditProblem[]): string =>
  problems.length === 0
    ? 'There is no file in it: a name alone on a line, and its content in a fence below.'
    : describeProblems(problems)

/** Keeps what a reply gives, and says what of it cannot be kept. @throws {FaultlineError} Why the reply is cut off. */
async function keepFiles(
  job: JobContext,
  { text, cut }: ModelReply,
  { rules, redact, before }: KeepOptions,
): Promise<Written> {
  const written = await job.step('gen_code.files', async () => {
    const reply = readReply(text, { isCut: cut !== null })
    const { changed, deleted, applied, rejected } = applyEdits(await readKept(job), reply, { rules, redact })
    await job.files.put(new Map<string, string | null>([...changed, ...deleted.map(path => [path, null] as const)]))
    if (rejected.length > 0) {
      job.log(`Not all of the reply can be used: ${describeProblems(rejected)}`.slice(0, MAX_MESSAGE_CHARS))
    }
    return {
      paths: [...new Set([...before.paths, ...applied.map(({ path }) => path)])],
      open: openProblems(before.open, { applied, rejected, reply }),
    }
  })
  if (cut !== null) throw cut
  return written
}

/** Asks for what of a reply could not be used, or for all of it where it gave nothing. */
function askAgain({ paths, open }: Written): DialogueMessage {
  const slots = { problems: { label: 'problems', text: reasons(open) } }
  if (paths.length === 0) return says({ prompt: 'generate-again', slots })
  const kept = { label: 'files that are kept', text: paths.join('\n') }
  return says({ prompt: 'generate-rest', slots: { ...slots, kept } })
}

/** @throws {FaultlineError} NO_FILES_IN_REPLY, EDITS_REJECTED: something is missing after the last reply. */
function requireAll({ paths, open }: Written): void {
  if (paths.length === 0) {
    throw new FaultlineError(
      'NO_FILES_IN_REPLY',
      `The model was asked twice and wrote no file. ${reasons(open)}`.slice(0, 2000),
      'GET /jobs/{id}/transcript shows what it wrote; another model may do better.',
    )
  }
  if (open.length === 0) return
  const parts = `${counted(open.length, 'part')} of what the model wrote could not be used, though it was asked again.`
  throw new FaultlineError(
    'EDITS_REJECTED',
    `${parts} ${reasons(open)}`.slice(0, MAX_MESSAGE_CHARS),
    'GET /jobs/{id}/files has what could be. POST /jobs/{id}/retry tries again; another model may do better.',
  )
}

/**
 * Asks for a program and keeps its files beside those that the job keeps already, which it may change. What of the
 * reply cannot be used is asked for once more, with the reasons.
 *
 * @throws {FaultlineError} NO_FILES_IN_REPLY; EDITS_REJECTED, REPLY_TRUNCATED, REPLY_FILTERED: what could be used is
 * kept.
 */
export async function writeCode(
  job: JobContext,
  { model: { askModel, redact }, outline }: { model: AskModel; outline: OutlineFile },
  { messages, asked, ...choice }: WriteOptions,
): Promise<void> {
  const rules = { outline, asked: readAsked(asked) }
  const first = await askModel(job, { name: 'gen_code', messages, ...choice })
  const written = await keepFiles(job, first, { rules, redact, before: NOTHING })
  if (written.paths.length > 0 && written.open.length === 0) return
  job.log(
    written.paths.length === 0
      ? 'The reply holds no file; the model is asked again.'
      : `${counted(written.open.length, 'part')} of the reply could not be used; the model is asked again for it.`,
  )
  const second = await askModel(job, {
    name: 'gen_code',
    messages: [...messages, replied(first.text), askAgain(written)],
    ...choice,
  })
  requireAll(await keepFiles(job, second, { rules, redact, before: written }))
}

interface KeepOptions extends Pick<AskModel, 'redact'> {
  rules: PartRules
  before: Written
}
