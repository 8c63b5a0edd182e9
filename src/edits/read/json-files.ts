import type { FileBlock } from '../edit.ts'

const PATH_KEYS = ['path', 'file', 'file_path', 'filePath', 'filepath', 'filename', 'file_name', 'name']
const CONTENT_KEYS = ['content', 'contents', 'code', 'source', 'text']
/** Keys that say nothing about what is to be done. */
const REMARK_KEYS = ['language', 'lang', 'description', 'explanation', 'summary']
const VERB_KEYS = ['action', 'operation', 'type', 'op']
const WRITES = /^(?:create|add|new|write|update|overwrite|replace|modify|file)$/i
/** Longer texts are read by nobody as JSON. */
const MAX_CHARS = 4_000_000

type NamedContent = Pick<FileBlock, 'path' | 'content'>

function jsonIn(text: string): unknown {
  if (text.length > MAX_CHARS || !/^\s*[[{]/.test(text)) return null
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The file of an object that has a path and a content, and nothing that asks for anything else. */
function fileOf(value: unknown): NamedContent | null {
  if (!isRecord(value)) return null
  const keys = Object.keys(value)
  const pathKey = keys.find(key => PATH_KEYS.includes(key))
  const contentKey = keys.find(key => CONTENT_KEYS.includes(key))
  if (pathKey === undefined || contentKey === undefined) return null
  const isUnderstood = keys.every(key => {
    if (key === pathKey || key === contentKey || REMARK_KEYS.includes(key)) return true
    return VERB_KEYS.includes(key) && WRITES.test(String(value[key]))
  })
  const [path, content] = [value[pathKey], value[contentKey]]
  return isUnderstood && typeof path === 'string' && typeof content === 'string' ? { path, content } : null
}

function filesOf(list: unknown): NamedContent[] | null {
  if (!Array.isArray(list)) return null
  const files = list.map(fileOf)
  return files.length > 0 && files.every(file => file !== null) ? files : null
}

/**
 * The files that a text in JSON gives: `{"files": [{"path": …, "content": …}]}`, such a list, or one such object. Null
 * for any other text.
 */
export function readJsonFiles(text: string): NamedContent[] | null {
  const value = jsonIn(text)
  const single = fileOf(value)
  if (single !== null) return [single]
  const list = isRecord(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : value
  return filesOf(list)
}
