export const INCOMPATIBLE = { code: 'INDEX_INCOMPATIBLE' }
export const QUERY = new Map([
  ['word', 1],
  ['word1', 1],
  ['word2', 2],
  ['py', 1],
])
