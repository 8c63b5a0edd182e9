import { anyOf } from './any-of.ts'

/** Marks that begin a comment, in any language. */
const MARKS = ['//', '#', '--', ';', '%', '/*', '<!--', '{/*', '*', '"""', "'''"]
/** Marks that end a comment. */
const ENDS = ['*/}', '*/', '-->', '"""', "'''"]
const DOTS = /\.{3}|…/
const BEGINS_WITH_DOTS = /^[[(<]?(?:\.{3}|…)/
const BETWEEN_DOTS = /^(?:\.{3}|…)\s*\w.*(?:\.{3}|…)$/
const ONLY_DOTS = /^[[(<]?(?:\.{3,}|…)[\])>]?$/
/** Words that, beside dots, say that code is left out. */
const WORDS = anyOf(
  [
    /\b(?:rest|remain(?:s|ing|der)?|existing|unchanged|omitted|same as|previous|as before|no changes?|more code)\b/,
    /\b(?:\d+ (?:more|other|further)|(?:many|several) (?:more|others)|everything else|as is|snip(?:ped)?|truncated)\b/,
    /\bother (?:code|methods?|functions?|imports?|routes?|lines)\b/,
    /\b(?:restlich|unverändert|bestehend|vorhanden|übrig|inchangé|existant|sin cambios|existente|resto d|omitid)/,
    /\b(?:invariat|esistent|bez zmian|istniejąc|mantém|inalterad)/,
    /остальн|без изменений|прежн|существующ|как (?:раньше|было)|решта|без змін/,
    /省略|不变|其余|其他代码|现有|原有|保持|既存|残り|変更なし|기존|나머지/,
  ],
  'i',
)
/** Words that say that something is as it was. */
const STATE =
  '(?:unchanged|untouched|intact|the same|as (?:is|it is|they are|it was|they were|before)|omitted|not shown' +
  '|identical|unmodified|goes? here|stays?|unaltered)\\b'
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
    /^\(?(?:code|everything(?: else)?|file|all else|(?:the )?(?:body|implementation|logic)) (?:remains|stays|is) (?:the same|unchanged)/,
    /^\(?(?:same|unchanged|identical|exactly as|as) (?:as |to |from )?(?:before|above|the original|in the original)[\s.)\]]*$/,
    // "rest unchanged", "other methods stay as they are"
    new RegExp(
      '^[[(]?(?:all )?(?:the |your )?(?:rest|remainder|remaining|others?|existing|everything else)\\b' +
        `.{0,60}\\b${STATE}`,
    ),
    // "keep the remaining functions exactly as they are"
    new RegExp(
      '^[[(]?(?:please )?(?:keep|leave|retain|preserve)(?:ing)? .{0,30}' +
        `\\b(?:rest|remaining|others?|existing|everything|original|all|these|code)\\b.{0,60}\\b${STATE}`,
    ),
    /^[[(]?(?:unchanged|no changes?|omitted|snip(?:ped)?|truncated)(?: (?:code|here|below|above|for brevity|needed))*[\])]?[.:]?$/,
    /^[[(]?.{0,60}\b(?:omitted|left out|not shown|skipped|abbreviated)(?: here)? (?:for|to save) (?:brevity|clarity|space|simplicity)/,
    /^[[(]?(?:your |the )?(?:existing|original|previous|old|unchanged) (?:code|implementation|logic|contents?)(?: (?:goes )?here)?[\])]?[.:]?$/,
    /^[[(]?(?:the )?rest of (?:the |your |this )?(?:\w+ ){0,3}(?:unchanged|here|below|above)?[\])]?[.:]?$/,
    // "same logic as before", "body unchanged", "code continues as before", "keep as is"
    /^[[(<]?(?:the )?same (?:\w+ ){0,3}as (?:before|above|in the original|the original)\b.{0,3}$/,
    /^[[(<]?(?:the )?(?:body|code|logic|implementation|rest|function|method|class|everything) (?:is |stays |remains |continues )?(?:unchanged|omitted|as (?:is|before|above|it was)|the same)\b.{0,30}$/,
    /^[[(<]?(?:(?:keep|leave) (?:this |it |them )?as (?:is|it was|they are)|as (?:in|per) (?:the )?original|see above|as above)\b.{0,3}$/,
    // "your code here", "handler code here", "other properties", "-- snip --"
    /^[[(<]?(?:(?:your|add your|insert your|put your) .{0,20}(?:code|logic|implementation)|(?:\w+ ){0,2}(?:code|logic|implementation)) (?:goes )?here\b.{0,3}$/,
    /^[-=~.\s[(<8%✂]*(?:snip(?:ped)?|unchanged|existing code|rest|etc\.?)[-=~.\s\])>]*$/,
    /^(?:⋮|\.{2}\s*\w.*\.{2}$)/,
    /^[[(]?(?:comme avant|inchangé|wie (?:zuvor|gehabt|vorher|bisher)|unverändert|como antes|sin cambios|come prima|как раньше|без изменений|与之前相同|保持不变|同上|以前と同じ|変更なし|이전과 동일)/,
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

/** Whether a line, or all of its comment, is nothing but dots, or a comment that begins and ends with dots. */
export function isDotted(line: string): boolean {
  if (line.length >= MAX_CHARS) return false
  const { text, isComment } = commentText(line)
  return ONLY_DOTS.test(text) || (isComment && BETWEEN_DOTS.test(text))
}

/** Whether a line stands for lines that are left out: `...`, `# ... existing code ...`. */
export const isGap = (line: string): boolean =>
  line.length < MAX_CHARS && (ONLY_DOTS.test(commentText(line).text) || isPlaceholder(line))
