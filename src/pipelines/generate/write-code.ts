import type { DialogueMessage } from '../../core/dialogue.ts'
import { FaultlineError } from '../../core/errors.ts'
import { applyEdits } from '../../edits/apply/apply-edits.ts'
import { describeProblems } from '../../edits/write/describe-problems.ts'
import { readAsked } from '../../edits/parts/asked.ts'
import type { PartRules } from '../../edits/parts/read-part.ts'
import type { OutlineFile } from '../../edits/parts/units/units-of.ts'
import type { EditProblem } from '../../edits/edit.ts'
import { readReply } from '../../edits/read/read-reply.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AskModel, ModelChoice, ModelReply } from '../steps/model/ask-model.ts'
import { replied, says } from '../steps/model/dialogues.ts'
import { readKept } from '../steps/base/kept-files.ts'

/** What a reply gave: the files that it wrote, and what is to be asked for again; null for nothing. */
type Written = { paths: string[]; problems: string | null }

/** The dialogue that asks for the program. */
interface WriteOptions extends ModelChoice {
  messages: readonly DialogueMessage[]
  /** The words of the person who asks for the program. */
  asked: string
}

const isCut = ({ reason }: EditProblem): boolean => reason === 'truncated'

const reasons = (problems: readonly EditProblem[]): string =>
  problems.length === 0
    ? 'There is no file in it: a name alone on a line, and its content in a fence below.'
    : describeProblems(problems)

/** Keeps what a reply gives, and says what of it cannot be kept. @throws {FaultlineError} Why the reply is cut off. */
async function keepFiles(job: JobContext, { text, cut }: ModelReply, rules: PartRules): Promise<Written> {
  const written = await job.step('gen_code.files', async () => {
    const reply = readReply(text, { isCut: cut !== null })
    const { changed, deleted, rejected } = applyEdits(await readKept(job), reply, { rules })
    await job.files.put(new Map<string, string | null>([...changed, ...deleted.map(path => [path, null] as const)]))
    if (rejected.length > 0) job.log(`Not all of the reply can be used: ${describeProblems(rejected)}`.slice(0, 4000))
    const lacks = changed.size === 0 || rejected.some(isCut)
    return { paths: [...changed.keys()], problems: lacks ? reasons(rejected) : null }
  })
  if (cut !== null) throw cut
  return written
}

/** Asks again: for all of it when nothing could be read, else for the rest. */
function questionAgain(paths: readonly string[], problems: string): DialogueMessage {
  const slots = { problems: { label: 'problems', text: problems } }
  if (paths.length === 0) return says({ prompt: 'generate-again', slots })
  const kept = { label: 'files that are kept', text: paths.join('\n') }
  return says({ prompt: 'generate-rest', slots: { ...slots, kept } })
}

/**
 * Asks for a program and keeps its files beside those that the job keeps already, which it may change. A reply without
 * any, or one that was cut off, is asked for once more, with the reason.
 *
 * @throws {FaultlineError} NO_FILES_IN_REPLY; REPLY_TRUNCATED, REPLY_FILTERED: what was whole is kept.
 */
export async function writeCode(
  job: JobContext,
  { model: { askModel }, outline }: { model: AskModel; outline: OutlineFile },
  { messages, asked, ...choice }: WriteOptions,
): Promise<void> {
  const rules = { outline, asked: readAsked(asked) }
  const first = await askModel(job, { name: 'gen_code', messages, ...choice })
  const written = await keepFiles(job, first, rules)
  if (written.problems === null) return
  job.log(
    written.paths.length === 0
      ? 'The reply holds no file; the model is asked again.'
      : 'The reply was cut off; the model is asked for the rest.',
  )
  const again = questionAgain(written.paths, written.problems)
  const second = await askModel(job, {
    name: 'gen_code',
    messages: [...messages, replied(first.text), again],
    ...choice,
  })
  const { paths, problems } = await keepFiles(job, second, rules)
  if (written.paths.length + paths.length === 0) {
    throw new FaultlineError(
      'NO_FILES_IN_REPLY',
      `The model was asked twice and wrote no file. ${problems ?? ''}`.slice(0, 2000),
      'GET /jobs/{id}/transcript shows what it wrote; another model may do better.',
    )
  }
}
