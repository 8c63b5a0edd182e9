/** Tokens of what a coder is shown of a repository, and how they are shared. The rest of its 80,000 is for the task. */
export const BUDGETS = {
  total: 60_000,
  metadata: 5_000,
  tree: 5_000,
  key: 30_000,
  import: 20_000,
  /** On top of the levels, out of what they leave of the total: the last level, the imports, yields. */
  guide: 5_000,
} as const

export const MAX_TREE_ENTRIES = 500
export const MAX_TREE_DEPTH = 6
/** What is behind the first 100 KB of a file is not shown. */
export const MAX_SHOWN_CHARS = 102_400
/** What one token stands for at most in what people write: a longer text need not be counted to be too long. */
export const MAX_CHARS_PER_TOKEN = 10
