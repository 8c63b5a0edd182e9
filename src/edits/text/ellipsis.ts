import { anyOf } from './any-of.ts'

/** Marks that begin a comment, in any language. */
const MARKS = ['//', '#', '--', ';', '%', '/*', '<!--', '{/*', '*', '"""', "'''"]
/** Marks that end a comment. */
const ENDS = ['*/}', '*/', '-->', '"""', "'''"]
const DOTS = /\.{3}|…/
const BEGINS_WITH_DOTS = /^[[(<]?(?:\.{3}|…)/
const ONLY_DOTS = /^[[(<]?(?:\.{3,}|…)[\])>]?$/
/** Words that, beside dots, say that code is left out. */
const WORDS = anyOf(
  [
    /\b(?:rest|remain(?:s|ing|der)?|existing|unchanged|omitted|same as|previous|as before|no changes?|more code)\b/,
    /\bother (?:code|methods?|functions?|imports?|routes?|lines)\b/,
    /\b(?:restlich|unverändert|bestehend|vorhanden|übrig|inchangé|existant|sin cambios|existente|resto d|omitid)/,
    /\b(?:invariat|esistent|bez zmian|istniejąc|mantém|inalterad)/,
    /остальн|без изменений|прежн|существующ|как (?:раньше|было)|решта|без змін/,
    /省略|不变|其余|其他代码|现有|原有|保持|既存|残り|変更なし|기존|나머지/,
  ],
  'i',
)
/** Sentences that say so in a comment, without dots. */
const SENTENCE = anyOf(
  [
    // "the rest of your code"
    new RegExp(
      '^\\(?(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:\\w+ ){0,2}' +
        '(?:code|file|function|class|method|implementation|component|module|script|routes|imports)s?\\b',
    ),
    // "existing imports stay the same"
    new RegExp(
      '^\\(?(?:your |the )?(?:existing|previous|remaining|other) ' +
        '(?:code|imports|methods|functions|routes|implementation)\\b' +
        '.{0,20}\\b(?:here|unchanged|same|before|above|below|remains?|stays?)',
    ),
    /^\(?(?:code|everything(?: else)?|file) (?:remains|stays|is) (?:the same|unchanged)/,
    /^\(?(?:same|unchanged) as (?:before|above)/,
    /^\(?(?:остальной код|restlicher code|(?:le )?reste du code|(?:el )?resto del código|其余代码)/,
  ],
  'i',
)
/** A longer line is code, whatever it says. */
const MAX_CHARS = 200

/** The text of a line without the marks of a comment. */
function commentText(line: string): { text: string; isComment: boolean } {
  let text = line.trim()
  const mark = MARKS.find(own => text.startsWith(own))
  if (mark !== undefined) text = text.slice(mark.length).trim()
  const end = ENDS.find(own => text.endsWith(own))
  if (end !== undefined) text = text.slice(0, -end.length).trim()
  return { text, isComment: mark !== undefined }
}

/** Whether a line says in words that code is left out, so that it must not be written to a file; a bare `...` may. */
export function isPlaceholder(line: string): boolean {
  if (line.length >= MAX_CHARS) return false
  const { text, isComment } = commentText(line)
  if (isComment && SENTENCE.test(text)) return true
  return (isComment || BEGINS_WITH_DOTS.test(text)) && DOTS.test(text) && WORDS.test(text)
}

/** Whether a line stands for lines that are left out: `...`, `# ... existing code ...`. */
export function isGap(line: string): boolean {
  return line.length < MAX_CHARS && (ONLY_DOTS.test(commentText(line).text) || isPlaceholder(line))
}
