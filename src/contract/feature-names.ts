// Apart from the schemas, so that a command's help need not load them.
/** How features end. */
export const FEATURE_OUTCOMES = ['deployed', 'delivered', 'aborted'] as const
/** Where a feature stands: `progress.step` of its job. */
export const FEATURE_STATES = [
  'planning',
  'scaffolding',
  'coding',
  'verifying',
  'delivering',
  'awaiting_approval',
  'deployed',
  'aborted',
] as const
