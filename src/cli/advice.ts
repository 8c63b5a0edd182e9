import type { JobAnswer, JobEventAnswer } from '../contract/job.ts'
import type { ProjectAnswer } from '../contract/project.ts'

/**
 * What is said of routes and bodies, in the words of the command line, the longer phrases first. `<id>` and the names
 * that stand in a route are filled in; texts of the server keep their routes, for its other clients.
 */
const PHRASES: ReadonlyArray<readonly [route: RegExp, command: string]> = [
  [/GET \/jobs\/\{id\}\?wait=60 answers when it/g, '"faultline jobs follow <id>" ends when it'],
  [
    /GET \/jobs\/\{id\}\/files and \/diff have ([^.;,]*), \/transcript /g,
    '"faultline jobs files <id>" and "faultline jobs diff <id>" have $1, "faultline jobs transcript <id>" ',
  ],
  [/GET \/jobs\/\{id\} shows it in `request`, and its name in `asked`/g, '"faultline jobs show <id>" shows it'],
  [/GET \/jobs\/\{id\}\/files and \/diff/g, '"faultline jobs files <id>" and "faultline jobs diff <id>"'],
  [/GET \/jobs\/\{id\}\/(files|diff|patch|transcript|events)/g, '"faultline jobs $1 <id>"'],
  [/POST \/jobs\/\{id\}\/retry with a higher budget/g, '"faultline jobs retry <id>" and a higher budget'],
  [/POST \/jobs\/\{id\}\/retry without from_step/g, '"faultline jobs retry <id>" without --from-step'],
  [/POST \/jobs\/\{id\}\/retry with from_step (\w+)/g, '"faultline jobs retry <id> --from-step $1"'],
  [/POST \/jobs\/\{id\}\/retry from the step/g, '"faultline jobs retry <id> --from-step <step>", the step'],
  [/POST \/jobs\/\{id\}\/(cancel|retry)/g, '"faultline jobs $1 <id>"'],
  [/DELETE \/jobs\/\{id\}/g, '"faultline jobs delete <id>"'],
  [/GET \/jobs\?type=clone/g, '"faultline jobs --type clone"'],
  [/GET \/jobs\?type=environment lists/g, '"faultline jobs --type environment" lists'],
  [/GET \/jobs lists/g, '"faultline jobs" lists'],
  [/GET \/ready says (whether it|that the database) answers/g, '"faultline doctor" says $1 answers'],
  [/GET \/cluster lists/g, '"faultline cluster" lists'],
  [/GET \/tasks lists/g, '"faultline tasks" lists'],
  [/GET \/tasks\/\{number\}/g, '"faultline show <number>"'],
  [
    /\b(?:Send|send) "push": true with "auto_merge": true, or leave auto_merge out/g,
    'Add --push, or say --no-auto-merge',
  ],
  [/\bSend "push": true, or "auto_merge": false/g, 'Add --push, or say --no-auto-merge'],
  [/\bauto_merge\b/g, '--auto-merge'],
  [/\bmax_attempts\b/g, '--max-attempts'],
  [/GET \/resolutions lists/g, '"faultline resolutions" lists'],
  [/DELETE \/projects\/\{name\}/g, '"faultline projects delete <name>"'],
  [/DELETE \/projects\/([\w.-]+)/g, '"faultline projects delete $1"'],
  [/PATCH \/projects\/\{name\}/g, '"faultline projects set <name>"'],
  [/PATCH \/projects\/([\w.-]+) (\{.*\})(?=, or)/g, "faultline projects set $1 '$2'"],
  [/PATCH \/projects\/([\w.-]+)/g, '"faultline projects set $1"'],
  [/POST \/projects\/([\w.-]+)\/upload/g, '"faultline clone FILE --project $1"'],
  [/GET \/projects lists/g, '"faultline projects" lists'],
  [
    /POST \/clone with the repository's url and "project_name": "([\w.-]+)"/g,
    '"faultline clone <url> --project $1" with the URL of the repository',
  ],
  [/POST \/clone with the repository's url/g, '"faultline clone <url>" with the URL of the repository'],
  [/POST \/clone with this ref/g, '"faultline clone <url> --ref <ref>"'],
  [/POST \/clone (each|the)(?= )/g, '"faultline clone <url>" for $1'],
  [/POST \/clone/g, '"faultline clone <url>"'],
  [/POST \/resolve with "mode": "context"/g, '"faultline resolve --mode context"'],
  [/(?:Send |with )?\{"decision": "approve"\} or \{"decision": "reject"\}/g, 'Reply with --approve or --reject'],
  [/Send \{"answer": "text"\} \(empty or "c" skips the question\)/g, 'Reply with a text ("c" skips the question)'],
  [/Send \{"budget": \{"tokens": …, "seconds": …, "usd": …\}\} with/g, 'Reply with --tokens, --seconds or --usd and'],
  [/Send \{"budget": \{…\}\} with/g, 'Reply with --tokens, --seconds or --usd and'],
  [/\{"skip": true\}/g, '--skip'],
  [/"allow_partial": true/g, '--allow-partial'],
  [/(?:Send )?"mode": "context"/g, '--mode context'],
  [/(?:Send )?"dry_run": true/g, '--dry-run'],
  [/\bSend project_name: /g, 'Name it with --project: '],
  [/\bsend its project_name\b/g, 'name it with --project'],
  [/\bwith "(good|bad)"/g, 'with --$1'],
  [/"timeout_s"/g, '--timeout'],
  [/\bmax_context_tokens\b/g, '--max-context-tokens'],
  [/\bproject_name\b/g, '--project'],
  [/\bleave "lint" out\b/g, 'leave --lint out'],
  [/\bleave ref out\b/g, 'leave --ref out'],
  [/\bsend the request again\b/g, 'try again'],
]

/**
 * A sentence of the services in the words of the command line: commands and options in place of routes and fields.
 *
 * @param id - The job that it is about.
 */
export function inCommands(text: string, id?: string): string {
  const said = PHRASES.reduce((sentence, [route, command]) => sentence.replace(route, command), text)
  return id === undefined ? said : said.replaceAll('<id>', id)
}

type JobFailure = NonNullable<JobAnswer['error']>

function failureWithCommands({ message, fix, ...error }: JobFailure, id: string): JobFailure {
  const advice = fix === undefined ? {} : { fix: inCommands(fix, id) }
  return { ...error, message: inCommands(message, id), ...advice }
}

function requestWithCommands<Request extends NonNullable<JobAnswer['request']>>(request: Request, id: string): Request {
  if (!('problem' in request) || typeof request.problem !== 'string') return request
  return { ...request, problem: inCommands(request.problem, id) }
}

/** A job as it is printed for a person: what its error advises are commands. With `--json` it stays as it is. */
export function withCommands(job: JobAnswer): JobAnswer {
  const { id, error, progress, request } = job
  return {
    ...job,
    progress: progress === null ? null : { ...progress, message: inCommands(progress.message, id) },
    error: error === null ? null : failureWithCommands(error, id),
    ...(request == null ? {} : { request: requestWithCommands(request, id) }),
  }
}

/** The same for an event: what a program or a model has written stays as it is. */
export function eventWithCommands(event: JobEventAnswer, id: string): JobEventAnswer {
  const { data } = event
  if (event.event === 'token' || data.stream !== undefined) return event
  const said = (['text', 'message'] as const).flatMap(name => {
    const value = data[name]
    return typeof value === 'string' ? [[name, inCommands(value, id)]] : []
  })
  return { ...event, data: { ...data, ...Object.fromEntries(said) } }
}

/** The same for what is wrong with a project; a server of an earlier release says nothing of it. */
export function projectWithCommands(project: ProjectAnswer): ProjectAnswer {
  const { problem = null } = project
  if (problem === null) return project
  return { ...project, problem: { ...problem, detail: inCommands(problem.detail), fix: inCommands(problem.fix) } }
}
