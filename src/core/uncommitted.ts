/**
 * What stands for a commit where lines are not committed; git itself says the same of them.
 */
export const NOT_COMMITTED = '0'.repeat(40)

/**
 * The commit without files that stands for the last one of a repository that has none yet: the same everywhere, as git
 * names commits by what they say.
 */
export const NOTHING_COMMITTED = 'be6fbed53667d71fc3d687670c7abd168810f5ed'
