import { outlineOf } from '../../../src/outline/outline.ts'

export const FILE = { repository: 'repo', path: 'a.py', language: 'python', lines: 1, oid: 'a'.repeat(40) }
export const contentOf = (text: string) => ({
  text,
  chunks: [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: text.length }],
  outline: outlineOf(text, 'python'),
})
