/** What is said of routes, in the words of pages, the longer phrases first. Texts keep routes for the other clients. */
const PHRASES: ReadonlyArray<readonly [route: RegExp, words: string]> = [
  [/GET \/projects lists the projects; POST \/clone makes one/g, 'the first page lists the projects and clones others'],
  [/GET \/projects lists/g, 'the first page lists'],
  [/"errors" names each field; \/docs shows what every route takes/g, 'go back, and change what is named there'],
  [/search_code finds/g, 'the search on the page of the project finds'],
  [/Send a start_line from (\d+)/g, 'give a line from $1'],
  [/GET \/docs lists the routes/g, 'begin at the first page'],
  [/GET \/resolutions lists those that are kept/g, 'the first page lists the newest of those that are kept'],
  [/GET \/(?:jobs|tasks) lists the/g, '"Jobs", above, lists the'],
  [/GET \/jobs\?type=clone\./g, 'the list of jobs shows it.'],
  [/GET \/jobs\?type=\w+/g, 'the list of jobs'],
  [/GET \/jobs\/\{id\}\?wait=60 answers when it/g, 'its page says when it'],
  [/GET \/jobs\/\{id\} shows it in `request`, and its name in `asked`/g, 'the page of the job shows it'],
  [
    /GET \/jobs\/\{id\}\/files and \/diff have ([^.;,]*), \/transcript /g,
    'the page of the job has $1, its transcript ',
  ],
  [/GET \/jobs\/\{id\}\/files and \/diff have/g, 'the page of the job has'],
  [/GET \/jobs\/\{id\}\/transcript/g, 'the transcript of the job'],
  [/GET \/jobs\/\{id\}\/patch/g, 'the patch on the page of the job'],
  [/GET \/jobs\/\{id\}(?:\/\w+)?/g, 'the page of the job'],
  [/POST \/jobs\/\{id\}\/retry with a higher budget/g, '"Start again" on the page of the job, with higher limits,'],
  [/POST \/jobs\/\{id\}\/retry without from_step/g, '"Start again" on the page of the job, from the beginning,'],
  [/POST \/jobs\/\{id\}\/retry with from_step (\w+)/g, '"Start again" on the page of the job, from $1,'],
  [
    /POST \/jobs\/\{id\}\/retry from the step that it ended in/g,
    '"Start again" on the page of the job, from the step that it ended in,',
  ],
  [/POST \/jobs\/\{id\}\/retry with \{"from_step": "(\w+)"\}/g, 'start the job again from $1'],
  [/POST \/jobs\/\{id\}\/retry(?= \w+s\b)/g, '"Start again" on the page of the job'],
  [/POST \/jobs\/\{id\}\/retry/g, 'start the job again'],
  [/(?<=with )POST \/jobs\/\{id\}\/cancel|POST \/jobs\/\{id\}\/cancel(?= \w+s\b)/g, '"Cancel" on the page of the job'],
  [/POST \/jobs\/\{id\}\/cancel/g, 'cancel the job'],
  [/Send \{"budget": \{…\}\} with limits/g, 'Give limits'],
  [/DELETE \/jobs\/\{id\} and DELETE \/projects\/\{name\} do/g, 'deleting a project does'],
  [/DELETE \/projects\/[\w.-]+/g, 'delete the project'],
  [
    /Send \{"verify": \{"command": "…"\}\}, or PATCH \/projects\/\{name\} \{"checks": \{"test": "…"\}\}/g,
    'Give a command that fails today, or set checks.test in the settings of the project',
  ],
  [/with PATCH \/projects\/(?:\{name\}|[\w.-]+)/g, 'in the settings of the project'],
  [/PATCH \/projects\/[\w.-]+ sets (them|its settings) again/g, 'the page of the project sets $1 again'],
  [/PATCH \/projects\/[\w.-]+ \{.*\}, or leave/g, 'change it in the settings of the project, or leave'],
  [/PATCH \/projects\/(?:\{name\}|[\w.-]+)(?: \{[^}]*\}+)?/g, 'the settings of the project'],
  [/POST \/projects\/([\w.-]+)\/upload/g, 'faultline clone FILE --project $1'],
  [
    /POST \/clone with the repository's url(?: and "project_name": "([\w.-]+)")?/g,
    "a clone of the repository's URL, from the first page and as the same project,",
  ],
  [/POST \/clone with this ref/g, 'a clone of this branch, from the first page,'],
  [/POST \/clone with "branch": (\S+)/g, 'a clone of the branch $1, from the first page,'],
  [/with POST \/clone/g, 'from the first page'],
  [/POST \/clone(?= \w+s\b)/g, 'a clone from the first page'],
  [/POST \/clone/g, 'clone'],
  [/ask POST \/resolve with "mode": "context"/g, 'look at the code without an explanation'],
  [/POST \/resolve with "mode": "context"/g, 'the first page'],
]

/** The beginning of a sentence, which may be one of ours. */
const BEGINNING = /(?<=^|[.!?] )(["']?)([a-z])(?=[a-z]* )/g

/** What to do, for somebody who has a page before him. */
export function adviceOnPages(fix: string): string {
  const said = PHRASES.reduce((text, [route, words]) => text.replace(route, words), fix)
  if (said === fix) return fix
  return said.replace(BEGINNING, (found, quote: string, first: string, at: number) =>
    fix.startsWith(found, at) ? found : quote + first.toUpperCase(),
  )
}
