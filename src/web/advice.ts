/** What is said of routes, in the words of pages, the longer phrases first. Texts keep routes for the other clients. */
const PHRASES: ReadonlyArray<readonly [route: RegExp, words: string]> = [
  [/GET \/projects lists the projects; POST \/clone makes one/g, 'The first page lists the projects and clones others'],
  [/GET \/docs lists the routes/g, 'Begin at the first page'],
  [/GET \/resolutions lists those that are kept/g, 'The first page lists the newest of those that are kept'],
  [/GET \/jobs lists the jobs/g, '"Jobs", above, lists them'],
  [/GET \/jobs\?type=\w+/g, 'the list of jobs'],
  [/GET \/jobs\/\{id\}\?wait=60 answers when it/g, 'Its page says when it'],
  [
    /GET \/jobs\/\{id\}\/files and \/diff have ([^.;,]*), \/transcript /g,
    'the page of the job has $1, its transcript ',
  ],
  [/GET \/jobs\/\{id\}\/files and \/diff have/g, 'the page of the job has'],
  [/GET \/jobs\/\{id\}\/transcript/g, 'the transcript of the job'],
  [/GET \/jobs\/\{id\}(?:\/\w+)?/g, 'the page of the job'],
  [
    /POST \/jobs\/\{id\}\/retry( (?:with|from|without) [^.;,]*?)?(?= \w+s\b)/g,
    '"Start again" on the page of the job$1',
  ],
  [/POST \/jobs\/\{id\}\/retry with \{"from_step": "(\w+)"\}/g, 'start the job again from $1'],
  [/POST \/jobs\/\{id\}\/retry/g, 'start the job again'],
  [/(?<=with )POST \/jobs\/\{id\}\/cancel|POST \/jobs\/\{id\}\/cancel(?= \w+s\b)/g, '"Cancel" on the page of the job'],
  [/POST \/jobs\/\{id\}\/cancel/g, 'cancel the job'],
  [/DELETE \/jobs\/\{id\} and DELETE \/projects\/\{name\} do/g, 'deleting a project does'],
  [/PATCH \/projects\/(?:\{name\}|[\w.-]+)(?: \{.*?\}(?=[,.;]|$)| \{.*\})?/g, 'the settings of the project'],
  [/(?:GET|DELETE) \/projects\/(?:\{name\}|[\w.-]+)/g, 'the page of the project'],
  [/POST \/clone(?= \w+s\b)/g, 'a clone from the first page'],
  [/POST \/clone/g, 'clone'],
  [/GET \/tasks lists the tasks/g, '"Jobs", above, lists the tasks'],
]

/** What to do, for somebody who has a page before him. */
export function adviceOnPages(fix: string): string {
  const said = PHRASES.reduce((text, [route, words]) => text.replace(route, words), fix)
  if (said === fix) return fix
  return said.replace(/(^|[.!?] )([a-z])/g, (_all, before: string, first: string) => before + first.toUpperCase())
}
