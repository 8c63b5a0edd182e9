// Apart from the schemas, so that a command's help need not load them.
/** The pipelines that a job can be of. */
export const JOB_TYPES = ['clone', 'resolve', 'generate', 'improve', 'self_heal', 'fix', 'task', 'feature'] as const
/** Where a job can stand; the last three are final. */
export const JOB_STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const
