// Apart from the schemas, so that a command's help need not load them.
/** Where a task can stand; the last two are final. */
export const TASK_STATUSES = ['pending', 'coding', 'reviewing', 'testing', 'done', 'failed'] as const
