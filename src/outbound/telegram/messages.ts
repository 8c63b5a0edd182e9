import { isObject } from '../../core/is-object.ts'
import type { Decision, Job, JobRequest } from '../../core/job.ts'
import { showLine } from '../../core/visible-text.ts'

/** A message to a chat: plain text, in which nothing has to be escaped. */
interface ChatMessage {
  text: string
  buttons: Array<{ text: string; callback_data: string }>
}

/** What messages show of a job. */
export type NotifiedJob = Pick<Job, 'id' | 'type' | 'projectName' | 'status' | 'request' | 'result' | 'error'>

/** Telegram's limit is 4096. */
const MAX_TEXT_CHARS = 4_000
const MAX_LINE_CHARS = 400
const MAX_URL_CHARS = 1_000
const MAX_LISTED = 5
/** How much of a text is looked at for secrets: far more than is shown, so that none of them is cut. */
const MAX_SEARCHED_CHARS = 20_000

/** What messages are made with. */
interface MessageOptions {
  /** Null: others cannot look there. */
  publicUrl: string | null
  withoutSecrets: (text: string) => string
}

/** A line of a message: one of ours, or foreign text after a label. */
type Line = string | { label: string; text: string; maxChars: number }

/** What each kind of question is called. */
const QUESTIONS: Readonly<Record<JobRequest['kind'], string>> = {
  clarification: 'asks a question',
  confirm_run: 'asks whether a program may be run',
  review_changes: 'asks whether its changes are good',
  review_plan: 'asks whether its plan is good',
  approve_delivery: 'is ready and waits for an approval',
  budget: 'has used its budget',
}

const LABELS: Readonly<Partial<Record<JobRequest['kind'], readonly [string, string]>>> = {
  approve_delivery: ['Deploy', 'Abort'],
  confirm_run: ['Approve', 'Reject'],
  review_changes: ['Approve', 'Reject'],
  review_plan: ['Approve', 'Reject'],
}

/** Foreign text in one line, so that none of it passes for a line of ours. */
function oneLine(text: string, maxChars = MAX_LINE_CHARS): string {
  const line = showLine(text.replace(/\s+/g, ' ')).trim()
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`
}

const labelled = (label: string, text: string | null | undefined, maxChars = MAX_LINE_CHARS): Line[] =>
  text === null || text === undefined || text.trim() === '' ? [] : [{ label, text, maxChars }]

type Delivery = Extract<JobRequest, { kind: 'approve_delivery' }>

const CHECK_WORDS = new Map<unknown, string>([
  [true, 'passed'],
  [false, 'failed'],
])

function deliveryLines(request: Delivery): Line[] {
  const { branch, pullRequestUrl, compareUrl, checks = [], conflicts = [], problem, deploysBy, merge } = request
  const results = checks.map(({ check, passed }) => `${check} ${CHECK_WORDS.get(passed) ?? 'not run'}`)
  return [
    ...labelled('Branch', branch),
    ...labelled('Request', pullRequestUrl, MAX_URL_CHARS),
    ...(pullRequestUrl === null ? labelled('Compare', compareUrl, MAX_URL_CHARS) : []),
    ...labelled('Checks', results.join(', ')),
    ...labelled(
      'Conflicts',
      conflicts
        .slice(0, MAX_LISTED)
        .map(conflict => conflict.with)
        .join(', '),
    ),
    ...labelled('Problem', problem),
    ...(merge === true ? ['An approval merges it.'] : []),
    ...(deploysBy === null ? ['Nothing deploys this project: an approval ends the job.'] : []),
  ]
}

const textIn = (value: unknown, field: string): string | null =>
  isObject(value) && typeof value[field] === 'string' ? value[field] : null

/** What is asked, in short. */
function questionLines(request: JobRequest): Line[] {
  switch (request.kind) {
    case 'clarification':
      return labelled('Question', request.question, 2_000)
    case 'confirm_run':
      return labelled('Command', request.command)
    case 'review_changes':
      return [...labelled('Changes', request.explanation), ...labelled('Verification', request.verification)]
    case 'review_plan':
      return [
        ...labelled('Understood', textIn(request.plan, 'understood')),
        ...labelled('Branch', textIn(request.plan, 'branch_name')),
      ]
    case 'approve_delivery':
      return deliveryLines(request)
    case 'budget':
      return [
        ...labelled('Used', `${request.spent.tokens} tokens, ${Math.round(request.spent.seconds)} s`),
        ...labelled('Limits', JSON.stringify(request.limit)),
      ]
  }
}

/** How a question without buttons is answered. */
function replyLines({ id }: NotifiedJob, { kind }: JobRequest): string[] {
  if (kind === 'clarification') return [`Answer with: faultline jobs reply ${id} "…"`]
  if (kind === 'budget') return [`Answer with: faultline jobs reply ${id} --tokens …, or --skip`]
  return []
}

const headOf = ({ type, projectName }: NotifiedJob): string =>
  oneLine(projectName === null ? `A job of type ${type}` : `The ${type} job of ${projectName}`)

/** Where the job is: a link, where others can look there. */
const placeLines = ({ id }: NotifiedJob, publicUrl: string | null): string[] => [
  publicUrl === null ? `Job: ${id}` : `Job: ${publicUrl}/ui/jobs/${id}`,
]

function asText(lines: readonly Line[], withoutSecrets: MessageOptions['withoutSecrets']): string {
  const shown = lines.map(line => {
    if (typeof line === 'string') return line
    // secrets first: a part of one would not be found
    return `${line.label}: ${oneLine(withoutSecrets(line.text.slice(0, MAX_SEARCHED_CHARS)), line.maxChars)}`
  })
  return shown.join('\n').slice(0, MAX_TEXT_CHARS).toWellFormed()
}

/** What a button says when it is pressed: at most 64 bytes. */
const pressedData = (decision: Decision['decision'], jobId: string, notificationId: number): string =>
  `${decision === 'approve' ? 'a' : 'r'}:${jobId}:${notificationId}`

/** What a button meant; null for what is none of ours. */
export function readPressedData(
  data: string,
): { decision: Decision['decision']; jobId: string; notificationId: number } | null {
  const [, letter, jobId = '', number] = /^([ar]):([0-9a-f-]{36}):(\d{1,15})$/.exec(data) ?? []
  if (letter === undefined) return null
  return { decision: letter === 'a' ? 'approve' : 'reject', jobId, notificationId: Number(number) }
}

/** That a job waits, with buttons where a yes or a no answers it. */
export function waitingMessage(
  job: NotifiedJob,
  request: JobRequest,
  { publicUrl, withoutSecrets, notificationId }: MessageOptions & { notificationId: number },
): ChatMessage {
  const labels = LABELS[request.kind]
  const [yes, no] = labels ?? []
  const button = (text: string, decision: Decision['decision']) => ({
    text,
    callback_data: pressedData(decision, job.id, notificationId),
  })
  return {
    text: asText(
      [
        `${headOf(job)} ${QUESTIONS[request.kind]}.`,
        ...questionLines(request),
        ...replyLines(job, request),
        ...placeLines(job, publicUrl),
      ],
      withoutSecrets,
    ),
    buttons: yes === undefined || no === undefined ? [] : [button(yes, 'approve'), button(no, 'reject')],
  }
}

/** How a job ended. */
export function doneMessage(job: NotifiedJob, { publicUrl, withoutSecrets }: MessageOptions): ChatMessage {
  const outcome = textIn(job.result, 'outcome')
  const request = textIn(job.result, 'pullRequestUrl')
  const end = job.status === 'cancelled' ? 'was cancelled' : job.status
  return {
    text: asText(
      [
        `${headOf(job)} ${end}.`,
        ...labelled('Outcome', outcome),
        ...labelled('Branch', textIn(job.result, 'branch')),
        ...labelled('Request', request, MAX_URL_CHARS),
        ...(job.error === null ? [] : labelled('Error', `${job.error.code}: ${job.error.message}`)),
        ...placeLines(job, publicUrl),
      ],
      withoutSecrets,
    ),
    buttons: [],
  }
}
