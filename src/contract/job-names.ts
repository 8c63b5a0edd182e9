// Apart from the schemas, so that a command's help need not load them.
/** The pipelines that a job can be of. */
export const JOB_TYPES = [
  'clone',
  'resolve',
  'generate',
  'improve',
  'self_heal',
  'fix',
  'bisect',
  'task',
  'feature',
  'environment',
] as const
/** Where a job can stand; the last three are final. */
export const JOB_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
/** The path of `POST` requests that make jobs of these types; the CLI sends its requests there, too. */
export const PIPELINE_PATHS = {
  generate: '/generate',
  improve: '/improve',
  self_heal: '/self-heal',
  fix: '/fix',
  bisect: '/bisect',
  task: '/tasks',
  feature: '/features',
} as const satisfies Partial<Record<(typeof JOB_TYPES)[number], `/${string}`>>
