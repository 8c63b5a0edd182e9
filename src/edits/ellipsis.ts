const MARKS = ['//', '#', '--', ';', '%', '/*', '<!--', '{/*', '*', '"""', "'''"]
const ENDS = ['*/}', '*/', '-->', '"""', "'''"]
const DOTS = /\.{3}|…/
const WORDS = /\b(?:rest|remain(?:s|ing|der)?|existing|unchanged|omitted|same as|previous|other (?:code|methods?|functions?|imports?|routes?|lines)|as before|no changes?|more code)\b|остальн|без изменений|прежн|существующ/i
const MAX_CHARS = 200

/** Whether a line stands for lines that are left out: `...`, `# ... existing code ...`. */
export function isGap (line: string): boolean {
  return line.length < MAX_CHARS && (/^[[(<]?(?:\.{3,}|…)[\])>]?$/.test(commentText(line).text) || isPlaceholder(line))
}

/** Whether a line says in words that code is left out: never meant to be written to a file. A bare `...` may be. */
export function isPlaceholder (line: string): boolean {
  if (line.length >= MAX_CHARS) return false
  const { text, isComment } = commentText(line)
  return (isComment || /^[[(<]?(?:\.{3}|…)/.test(text)) && DOTS.test(text) && WORDS.test(text)
}

/** A line without the marks of a comment. */
function commentText (line: string): { text: string, isComment: boolean } {
  let text = line.trim()
  const mark = MARKS.find(own => text.startsWith(own))
  if (mark !== undefined) text = text.slice(mark.length).trim()
  const end = ENDS.find(own => text.endsWith(own))
  if (end !== undefined) text = text.slice(0, -end.length).trim()
  return { text, isComment: mark !== undefined }
}
